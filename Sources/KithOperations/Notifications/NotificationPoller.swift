// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithPosts
import KithRelationships

/// Lists notifications, and asks for new ones again and again: once a minute, and a short time after it is prompted.
///
/// Nothing is lost if a question fails: the next one finds what this one would have found.
final class NotificationPoller: Sendable {
  /// The time between two questions that nothing prompts. It doubles while the server fails.
  static let pause = Duration.seconds(60)
  private static let longestPause = Duration.seconds(600)
  /// The time between a question that failed and one that is prompted.
  private static let shortestPause = Duration.seconds(10)
  /// The waits before the questions of a prompt. The first gathers other events; the later ones are for an AppView that does not
  /// know of an event yet.
  private static let patience: [Duration] = [.seconds(2), .seconds(5), .seconds(15)]

  private struct State {
    var known = KnownNotifications()
    var outcome = ReadNotifications.Outcome()
    /// The records of events that no question has found yet.
    var expected: Set<ATURI> = []
    /// Questions in a row that failed.
    var failures = 0
    /// When the next question may be asked, and when the last one was.
    var earliest = Duration.zero
    var last = Duration.zero
  }

  private let operation: FollowNotifications
  private let account: AuthorizedAccount
  private let workspace: Workspace
  private let note: @Sendable (Note) -> Void
  private let notifications: Notifications
  private let state = PosixMutex(State())
  private let handoff = Handoff<[NotificationRow]>()
  /// Questions come from the wait for a minute, and from prompts.
  private let turns = Turns()
  private let prompts: AsyncStream<Void>
  private let prompted: AsyncStream<Void>.Continuation

  init(
    _ operation: FollowNotifications, for account: AuthorizedAccount, in workspace: Workspace,
    _ note: @escaping @Sendable (Note) -> Void
  ) {
    (self.operation, self.account, self.workspace, self.note) = (operation, account, workspace, note)
    notifications = workspace.notifications(of: account)
    (prompts, prompted) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// What was left out, and what could not be read.
  var outcome: ReadNotifications.Outcome { state.withLock(\.outcome) }

  /// The new rows, the oldest first; nil at the end.
  func next() async throws -> [NotificationRow]? { try await handoff.next() }

  // MARK: Beginning

  /// Lists the notifications that are there.
  ///
  /// - Returns: the oldest first, also those before an error.
  func begin() async throws -> (rows: [NotificationRow], fault: (any Error)?) {
    // Before they are listed: what comes in between is in the list, or new to the first question.
    var pages = notifications.all().makeAsyncIterator()
    var page: [AccountNotification] = []
    while page.isEmpty, !pages.isAtEnd { page = try await pages.nextPage() ?? [] }
    state.withLock { $0.known = KnownNotifications(page, isWhole: pages.isAtEnd) }
    var reading = reading(
      ReadNotifications(
        ofKinds: operation.kinds, unread: operation.isUnread, since: operation.since,
        limit: operation.limit ?? ReadNotifications.usualLimit))
    var (rows, fault): ([NotificationRow], (any Error)?) = ([], nil)
    do {
      // One that cannot be read does not end a run without end.
      while !reading.isAtEnd, let page = try await reading.nextPage() { rows += page }
    } catch {
      fault = error
    }
    var seen: Set<AccountNotification.Identity> = []
    rows = rows.filter { seen.insert($0.notification.identity).inserted }
    state.withLock { state in
      _ = state.known.takeNew(rows.map(\.notification))
      state.outcome = reading.outcome
    }
    return (rows.reversed(), fault ?? reading.fault)
  }

  private func reading(_ listing: ReadNotifications) -> NotificationReading {
    NotificationReading(listing, of: notifications, by: account, in: workspace)
  }

  // MARK: Asking again

  /// Asks once a minute, until the task is cancelled.
  func askEveryMinute() async throws {
    defer { handoff.end() }
    while true {
      let wait = state.withLock(\.earliest) - workspace.time.now
      try await workspace.time.sleep(for: max(Self.pause, wait))
      try await ask()
    }
  }

  /// Asks at once. Several prompts make one question.
  ///
  /// - Parameter record: the record that a new notification will be about; nil if it is unknown whether there is any.
  func prompt(by record: ATURI?) {
    state.withLock { state in
      if let record, !state.known.contains(record) { state.expected.insert(record) }
      // Where a stream tells something, a server may answer again.
      state.earliest = min(state.earliest, state.last + Self.shortestPause)
    }
    prompted.yield()
  }

  /// Asks after prompts, until the task is cancelled.
  func askWhenPrompted() async throws {
    defer { handoff.end() }
    for await _ in prompts {
      let expected = state.withLock(\.expected)
      for wait in Self.patience {
        try await workspace.time.sleep(for: wait)
        try await ask()
        if state.withLock({ $0.expected.isDisjoint(with: expected) }) { break }
      }
      // The account may not want to be told of it.
      state.withLock { $0.expected.subtract(expected) }
    }
  }

  private func ask() async throws {
    try await turns.take { [self] in
      let now = workspace.time.now
      let mayAsk = state.withLock { state in
        guard now >= state.earliest else { return false }
        state.last = now
        return true
      }
      guard mayAsk else { return }
      let rows: [NotificationRow]
      do {
        rows = try await newRows()
        state.withLock { $0.failures = 0 }
      } catch {
        guard error.isOfAServer else { throw error }
        let (wait, isFirst) = state.withLock { state in
          let wait = min(Self.pause * (1 << min(state.failures, 8)), Self.longestPause)
          state.failures += 1
          state.earliest = workspace.time.now + wait
          return (wait, state.failures == 1)
        }
        // An outage is told once.
        if isFirst { note(.notificationsNotRead(error, retryIn: wait)) }
        return
      }
      if !rows.isEmpty { try await handoff.put(rows) }
    }
  }

  /// The rows of the notifications that were not there before, the oldest first.
  private func newRows() async throws -> [NotificationRow] {
    let before = state.withLock(\.known)
    var pages = notifications.all().makeAsyncIterator()
    var (listed, isComplete) = ([AccountNotification](), false)
    for _ in 0..<operation.mostPages where !isComplete {
      let page = try await pages.nextPage() ?? []
      listed += page
      isComplete = pages.isAtEnd || before.ends(page)
    }
    var known = before
    let new = known.takeNew(listed)
    var reading = reading(ReadNotifications(ofKinds: operation.kinds, limit: .max))
    let rows = try await reading.rows(of: new.filter(operation.wants))
    // Those of accounts of which it is unknown whether they are hidden come with the next question.
    if let fault = reading.fault { throw fault }
    state.withLock { state in
      state.known = known
      state.expected.subtract(new.map(\.uri))
      state.outcome.add(reading.outcome, unreadable: pages.unreadable)
    }
    if !isComplete, let last = listed.last {
      note(.notificationsMissed(read: listed.count, before: last.at))
    }
    return rows.reversed()
  }
}

extension FollowNotifications {
  /// Whether a new notification is one of those that are asked for; kinds aside.
  fileprivate func wants(_ notification: AccountNotification) -> Bool {
    !(isUnread && notification.isRead) && since.map { notification.at.instant >= $0.instant } ?? true
  }
}

extension ReadNotifications.Outcome {
  /// - Parameter unreadable: how many of those that were read again cannot be read; most of them are the same as before.
  fileprivate mutating func add(_ other: Self, unreadable: Int) {
    count += other.count
    leftOut = leftOut + other.leftOut
    self.unreadable = max(self.unreadable, unreadable)
    postsFault = postsFault ?? other.postsFault
  }
}

extension Error {
  /// Whether a server failed, which may pass: not the session, the task, or what is stored here.
  fileprivate var isOfAServer: Bool {
    switch FailureKind(self) {
    case .unavailable, .tryLater, .invalidResponse, .notFound: true
    default: false
    }
  }
}
