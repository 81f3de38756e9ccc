// SPDX-License-Identifier: Apache-2.0

/// What runs after the head of a response has been sent. Equal only to itself.
package final class LocalHandler<Subject>: Sendable, Hashable {
  /// Runs it, once per response. It ends when the client leaves or the server stops: its task is cancelled then, or its next
  /// call of the subject fails.
  package let run: @Sendable (Subject) async throws -> Void

  package init(_ run: @escaping @Sendable (Subject) async throws -> Void) { self.run = run }

  package static func == (one: LocalHandler, other: LocalHandler) -> Bool { one === other }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
