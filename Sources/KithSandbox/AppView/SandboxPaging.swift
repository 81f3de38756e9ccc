// SPDX-License-Identifier: Apache-2.0

/// How a list is cut into pages after hidden accounts were removed (Q11). In both cases all pages together
/// hold the same accounts, and only the last one has no cursor.
package enum SandboxPaging: Sendable, Hashable {
  /// As servers since August 2026: a page is refilled, with up to ten reads.
  case refilled
  /// As servers before that: pages are short, and every third one is empty.
  case short
}
