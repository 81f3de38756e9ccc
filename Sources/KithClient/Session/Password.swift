// SPDX-License-Identifier: Apache-2.0

/// A password on its way to the account's own server; never shown, like a ``SessionToken``.
public struct Password: Sendable, Hashable {
  let text: String

  /// The maximum number of bytes: servers accept 256 characters or fewer.
  private static let mostBytes = 4 << 10

  /// Wraps a password; nil if it is empty or too long.
  public init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.mostBytes else { return nil }
    self.text = text
  }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "a password" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
