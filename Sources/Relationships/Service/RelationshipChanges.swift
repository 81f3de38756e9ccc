// SPDX-License-Identifier: Apache-2.0

/// The changes that a service notices, from the moment of subscribing on; ends with its task or the service.
///
/// A listener that is slower than the changes loses the newest ones past a buffer of 1,024, and hears of
/// it as ``RelationshipChange/missed(_:)`` in their place.
public struct RelationshipChanges: AsyncSequence, Sendable {
  public typealias Element = RelationshipChange
  public typealias Failure = Never

  let mailbox: ChangeMailbox

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }

  /// Takes changes out of the buffer. One listener at a time: a second one that waits at once hears nothing,
  /// and subscribes for itself instead.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let mailbox: ChangeMailbox

    public mutating func next() async -> RelationshipChange? { await mailbox.next() }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> RelationshipChange? {
      await mailbox.next()
    }
  }
}
