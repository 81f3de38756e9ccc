// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// The listeners of one service.
final class ChangeBoard: Sendable {
  private struct Listener {
    weak var mailbox: ChangeMailbox?
  }

  private let listeners = PosixMutex<[Listener]>([])

  deinit {
    listeners.withLock { listeners in for listener in listeners { listener.mailbox?.finish() } }
  }

  func subscribe() -> RelationshipChanges {
    let mailbox = ChangeMailbox()
    listeners.withLock { listeners in
      listeners.removeAll { $0.mailbox == nil }
      listeners.append(Listener(mailbox: mailbox))
    }
    return RelationshipChanges(mailbox: mailbox)
  }

  func post(_ changes: [RelationshipChange]) {
    guard !changes.isEmpty else { return }
    let mailboxes = listeners.withLock { $0.compactMap(\.mailbox) }
    for mailbox in mailboxes {
      for change in changes { mailbox.post(change) }
    }
  }
}
