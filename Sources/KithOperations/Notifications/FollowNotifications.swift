// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithHistory
public import KithPosts
import KithRelationships

/// Lists what the signed-in account is told of, and then each new notification, until it is cancelled.
///
/// The oldest comes first, so that what is new comes last. The AppView is asked once a minute, and after events of the stream
/// that concern the account. Nothing is recorded, so a history of the account keeps its reader.
public struct FollowNotifications: KithOperation {
  public static let name = "followNotifications"

  /// Only these kinds; empty for all. The stream is opened only if follows are among them.
  public var kinds: [AccountNotification.Kind]
  /// Whether only those are listed that are not marked as seen when they are read.
  public var isUnread: Bool
  /// Only those since then; nil for all.
  public var since: Datetime?
  /// Ends after this many; nil for never.
  public var limit: Int?
  /// The most pages that one question reads.
  var mostPages = 200

  /// Creates the operation; parameters are the properties.
  public init(
    ofKinds kinds: [AccountNotification.Kind] = [], unread isUnread: Bool = false, since: Datetime? = nil,
    limit: Int? = nil
  ) {
    (self.kinds, self.isUnread, self.since, self.limit) = (kinds, isUnread, since, limit)
  }

  /// - Throws: `SessionError` if no account is signed in.
  public func run(
    in workspace: Workspace, _ report: Reporter<NotificationRow>
  ) async throws -> ReadNotifications.Outcome {
    let account = try await workspace.account()
    let poller = NotificationPoller(self, for: account, in: workspace, report.note)
    let rows = await report.deliver { rows in
      let first = try await poller.begin()
      for row in first.rows { try await rows.append(row) }
      try await rows.flush()
      if let fault = first.fault { throw fault }
      if rows.count == limit { return }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await poller.askEveryMinute() }
        group.addTask { try await poller.askWhenPrompted() }
        if kinds.isEmpty || kinds.contains(where: { $0.rawValue == "follow" }) {
          group.addTask { try await follow(account.did, in: workspace, report, telling: poller) }
        }
        defer { group.cancelAll() }
        while let new = try await poller.next() {
          for row in new.prefix(limit.map { $0 - rows.count } ?? .max) { try await rows.append(row) }
          try await rows.flush()
          if rows.count == limit { return }
        }
        while let _ = try await group.next() {}
      }
    }
    var outcome = poller.outcome
    (outcome.kinds, outcome.since, outcome.count, outcome.rows) = (kinds, since, rows.count, rows)
    return outcome
  }

  /// Prompts the poller after events by others that concern the account; never, if there is no stream.
  private func follow(
    _ account: DID, in workspace: Workspace, _ report: Reporter<NotificationRow>,
    telling poller: NotificationPoller
  ) async throws {
    var interpreter = StreamInterpreter(
      of: [.followers, .follows, .blocks].map { HistoryListing($0, of: account) })
    let notes = StreamNotes(report, notingConnections: false)
    var elements = Jetstream(
      JetstreamFilter(collections: interpreter.collections), host: workspace.services.jetstream,
      transport: workspace.transport, time: workspace.time
    ).elements(after: nil).makeAsyncIterator()
    var wasBroken = false
    do {
      while true {
        var (count, last) = (0, StreamCursor?.none)
        for element in try await elements.next(atMost: 1_000) {
          switch element {
          case .event(let event):
            (count, last) = (count + 1, event.cursor)
            var reading = StreamInterpreter.Reading()
            interpreter.read(event, into: &reading)
            if event.did != account, reading.concernsWatched { poller.prompt(by: reading.record) }
          case .connected(let connection):
            notes.take(.connected(connection))
            if wasBroken { poller.prompt(by: nil) }
            wasBroken = false
          case .disconnected(let error, let wait):
            notes.take(.disconnected(error, retryIn: wait))
            wasBroken = true
          // The next question finds what was missed.
          case .gap: break
          }
        }
        if let last { notes.take(.observed(last, events: count)) }
      }
    } catch let error as StreamError {
      report.note(.streamUnavailable(error))
    }
  }
}

extension StreamInterpreter.Reading {
  /// Whether an event is about an account that is watched, not only about its author.
  fileprivate var concernsWatched: Bool {
    !friends.isEmpty
      || events.contains { event in
        switch event.kind {
        case .made, .blocked, .unblocked: true
        default: false
        }
      }
  }

  /// The record of a follow of a watched account.
  fileprivate var record: ATURI? {
    for event in events {
      if case .made(let author, let key, let listing) = event.kind, listing.side == .followers {
        return ATURI(authority: .did(author), collection: .follow, recordKey: key)
      }
    }
    return nil
  }
}
