// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

/// Where a reader of a stream is, and what is open: questions that servers have to answer, and listings to be read again.
///
/// The place that is stored never passes an event with an open question, so the question is raised again after a crash.
actor LiveReader {
  typealias Receiver = @Sendable (LiveEvent) async throws -> Void

  /// After this many answers that decide nothing, the listing is read as a whole.
  private static let mostTries = 8
  /// How often everything is re-read from a host whose stream has no `#sync` events.
  private static let dailyRead = Duration.seconds(86_400)

  private let store: any ObservationStore & StreamStore
  private let id: StreamReaderID
  private let listings: Set<HistoryListing>
  /// Is told of edges beside the history; nil for none.
  private let feed: LiveFeed?
  private let report: Receiver
  private let wake: @Sendable () -> Void

  private var interpreter: StreamInterpreter
  /// The last event that was observed.
  private var position: StreamCursor
  /// Everything up to here was reported before.
  private let start: Instant
  private var questions: [StreamQuestion: StreamQuestion.State] = [:]
  private var unread: Set<HistoryListing>
  /// When the last snapshots of the listings began.
  private var snapshots: [HistoryListing: Instant]
  /// Events are observed, or listings read, but not both: what a snapshot has read is only complete with the events since it
  /// began.
  private let turns = Turns()
  private var wire = JetstreamConnection.Wire.v2
  /// When all listings were read, by the time of the stream.
  private var readAt: Instant

  /// - Parameters:
  ///   - unread: listings to be read.
  ///   - snapshots: when the last snapshots of the others began.
  ///   - readAt: when all others were read.
  ///   - wake: called when something is to be asked or read.
  init(
    _ store: any ObservationStore & StreamStore, _ id: StreamReaderID, _ listings: [HistoryListing],
    from place: StreamCursor,
    unread: Set<HistoryListing>, snapshots: [HistoryListing: Instant], readAt: Instant,
    wake: @escaping @Sendable () -> Void, feeding feed: LiveFeed?,
    _ report: @escaping Receiver
  ) {
    self.feed = feed
    (self.store, self.id, self.listings, self.report) = (store, id, Set(listings), report)
    (position, start, self.unread, self.readAt, self.wake) = (place, place.at, unread, readAt, wake)
    self.snapshots = snapshots
    interpreter = StreamInterpreter(of: listings)
  }

  /// The place behind which everything is done, if all events up to another one are observed.
  private func place(at position: StreamCursor) -> StreamCursor {
    let open = questions.values.map(\.since) + (interpreter.waitsSince.map { [$0] } ?? [])
    guard let first = open.min(by: { $0.at < $1.at }) else { return position }
    return first.before
  }

  // MARK: Events

  /// Observes what the stream told.
  func take(_ elements: [JetstreamElement]) async throws {
    var (reading, last) = (StreamInterpreter.Reading(), StreamCursor?.none)
    for element in elements {
      if case .event(let event) = element {
        interpreter.read(event, into: &reading)
        last = event.cursor
        continue
      }
      if let last { try await observe(reading, upTo: last) }
      (reading, last) = (StreamInterpreter.Reading(), nil)
      switch element {
      case .event: break
      case .connected(let connection):
        wire = connection.wire
        try await report(.connected(connection))
      case .disconnected(let error, let wait): try await report(.disconnected(error, retryIn: wait))
      case .gap(let gap):
        try await store.recordGap(of: Array(listings), since: gap.since, until: gap.until)
        readAll()
        if let feed { feed.service.miss(feed.watched) }
        try await report(.gap(gap))
      }
    }
    if let last { try await observe(reading, upTo: last) }
    let count = elements.count { if case .event = $0 { true } else { false } }
    if count > 0 { try await report(.observed(position, events: count)) }
    if wire == .v1, position.at - readAt >= Self.dailyRead { readAll() }
    if !questions.isEmpty || !unread.isEmpty { wake() }
  }

  private func readAll() {
    unread = listings
    readAt = position.at
  }

  private func observe(_ reading: StreamInterpreter.Reading, upTo cursor: StreamCursor) async throws {
    for doubt in reading.doubts { try await raise(doubt) }
    // The place only moves once the questions are known that these events raise. If the process ends before that, they come
    // again, change nothing, and raise them.
    var found = ObservedEvents()
    if !reading.events.isEmpty {
      found = try await store.observe(reading.events, upTo: place(at: position), by: id)
    }
    position = cursor
    let changes = found.changesByEvent
    // Before anything can fail: the events do not come again.
    feed?.take(reading, changes)
    for index in found.unresolved { try await raise(reading.events[index], cursor) }
    for (index, event) in reading.events.enumerated() {
      noteRecord(event)
      // An unfollow that names its record leaves nothing to ask.
      for change in changes[index] ?? [] where change.loss?.cause.isHiding == false {
        questions[StreamQuestion(account: change.account, listing: change.listing, subject: .edge)] = nil
      }
      try await askWhetherHidden(after: event, cursor)
    }
    try await store.observe([], upTo: place(at: position), by: id)
    try await tell(found, of: reading.events)
    for event in reading.friends where event.at > start { try await report(.friends(event)) }
  }

  /// An account that comes may be hidden: by a list that blocks it, by a block from a time that was not followed, or, in any
  /// graph, because a snapshot that began later did not show it. No event tells of these.
  private func askWhetherHidden(after event: HistoryEvent, _ cursor: StreamCursor) async throws {
    let since = event.place(in: cursor)
    switch event.kind {
    case .made(let account, let key, let listing) where listing.isMadeByMembers && listings.contains(listing):
      guard listing.graph == .bluesky || snapshots[listing].map({ event.at < $0 }) ?? false else { return }
      ask(account, listing, .edge, since, made: key)
    case .shown(let account), .unblocked(let account, _, _):
      for known in try await standings(of: account) where known.isListed && known.listing.graph == .bluesky {
        ask(account, known.listing, .edge, since)
      }
    default: return
    }
  }

  private func tell(_ found: ObservedEvents, of events: [HistoryEvent]) async throws {
    // A stream that continues by time begins earlier.
    for change in found.changes where events.isEmpty || events[change.event].at > start {
      try await report(.changed(change.change))
    }
    for index in found.renames {
      if case .renamed(let account, let handle) = events[index].kind {
        try await report(.renamed(account, handle, at: events[index].at))
      }
    }
    let changed = Set(found.changes.map(\.event))
    for (index, event) in events.enumerated() where event.at > start && !changed.contains(index) {
      if case .blocked(let account, .blockedBy, let listing) = event.kind {
        try await report(.blocked(listing.actor, by: account, at: event.at))
      }
    }
  }

  // MARK: Questions

  private func standings(of account: DID) async throws -> [ListingStanding] {
    try await store.standings(of: account).filter {
      listings.contains($0.listing) && $0.listing.isMadeByMembers
    }
  }

  private func raise(_ doubt: StreamDoubt) async throws {
    switch doubt.kind {
    case .unblocked(let author, let key):
      for known in try await standings(of: author) where known.hiddenBy.contains(.blockedBy) {
        ask(author, known.listing, .block, doubt.cursor, deleted: key)
      }
    case .rebuilt(let author, let seen):
      for known in try await standings(of: author) where known.isListed {
        guard known.key.map({ seen[known.listing]?.contains($0) == true }) != true else { continue }
        ask(author, known.listing, .edge, doubt.cursor)
      }
      for listing in listings where listing.actor == author && !listing.isMadeByMembers {
        let missing = try await keys(of: listing).contains { key in
          key.map { seen[listing]?.contains($0) == true } != true
        }
        if missing { try await read(listing, doubt.cursor.at) }
      }
    }
  }

  /// An event of which the store cannot tell what it changes.
  private func raise(_ event: HistoryEvent, _ cursor: StreamCursor) async throws {
    let since = event.place(in: cursor)
    switch event.kind {
    case .deleted(let key, let collection, let author):
      for known in try await standings(of: author)
      where known.isListed && known.key == nil && known.listing.collection == collection {
        ask(author, known.listing, .edge, since, deleted: key)
      }
      // All records of the actor have keys, unless a gap made them doubtful.
      for listing in listings
      where listing.actor == author && !listing.isMadeByMembers && listing.collection == collection {
        if try await keys(of: listing).contains(nil) { try await read(listing, event.at) }
      }
    case .shown(let account):
      for known in try await standings(of: account)
      where !known.isListed && known.hiddenBy.isEmpty && known.lostBy?.isHiding == true {
        ask(account, known.listing, .edge, since)
      }
    default: break
    }
  }

  private func ask(
    _ account: DID, _ listing: HistoryListing, _ subject: StreamQuestion.Subject, _ since: StreamCursor,
    deleted: RecordKey? = nil, made: RecordKey? = nil
  ) {
    let question = StreamQuestion(account: account, listing: listing, subject: subject)
    var state = questions[question] ?? StreamQuestion.State(since: since)
    if let deleted { state.deleted.insert(deleted) }
    (state.raisedAt, state.made) = (since.at, made)
    questions[question] = state
  }

  private func noteRecord(_ event: HistoryEvent) {
    guard !questions.isEmpty else { return }
    switch event.kind {
    case .made(let account, let key, let listing):
      let question = StreamQuestion(account: account, listing: listing, subject: .edge)
      if let state = questions[question], state.raisedAt <= event.at { questions[question]?.made = key }
    case .deleted(let key, _, let account):
      for question in questions.keys where question.account == account {
        if questions[question]?.made == key { questions[question]?.made = nil }
        questions[question]?.deleted.insert(key)
      }
    default: break
    }
  }

  /// The keys of the records of a listing; nil for those that are unknown.
  private func keys(of listing: HistoryListing) async throws -> Set<RecordKey?> {
    var keys: Set<RecordKey?> = []
    try await store.eachEdge(of: listing) { keys.insert($0.rkey) }
    return keys
  }

  /// Remembers which accounts an actor blocks, so that a deletion tells its subject.
  func learnBlocks(of listing: HistoryListing) async throws {
    guard listing.side == .blocks else { return }
    var edges: [HistoryEdge] = []
    try await store.eachEdge(of: listing) { edges.append($0) }
    for edge in edges {
      if let key = edge.rkey { interpreter.know(key, by: listing.actor, of: edge.account) }
    }
  }

  // MARK: Work

  /// Runs while nothing else is observed.
  nonisolated func alone<Value: Sendable>(_ work: @Sendable () async throws -> Value) async rethrows -> Value
  {
    try await turns.take(work)
  }

  /// What is to be asked and read, and the time of the stream.
  func work() -> (questions: [StreamQuestion: StreamQuestion.State], unread: Set<HistoryListing>, at: Instant)
  {
    (questions, unread, position.at)
  }

  /// Applies what servers answered.
  ///
  /// - Parameter asked: the questions as they were.
  func take(
    _ answers: StreamQuestion.Answers, to asked: [StreamQuestion: StreamQuestion.State],
    about listing: HistoryListing
  ) async throws {
    var answers = answers
    // What events have told meanwhile may be later than the answer, or earlier.
    answers.leaveOut(Set(asked.filter { questions[$0.key] != $0.value }.map(\.key.account)))
    for question in answers.settled { questions[question] = nil }
    for question in answers.undecided {
      questions[question]?.tries += 1
      guard let state = questions[question], state.tries >= Self.mostTries else { continue }
      questions[question] = nil
      // Of a record that was made, nothing is unknown.
      if state.made == nil { try await read(listing, state.since.at) }
    }
    try await store.learn(answers.edges, of: listing)
    let found = try await store.observe(answers.events, upTo: place(at: position), by: id)
    feed?.take(answers.events, found)
    try await tell(found, of: [])
  }

  /// Nothing but a snapshot can tell what a listing is since a time.
  private func read(_ listing: HistoryListing, _ since: Instant) async throws {
    try await store.recordGap(of: [listing], since: since, until: max(since, position.at))
    unread.insert(listing)
  }

  /// A snapshot has read a listing as a whole; questions from before need no answer.
  ///
  /// - Parameters:
  ///   - begun: when it began.
  ///   - moment: the same, or the time of the stream then if that is earlier.
  func finish(_ listing: HistoryListing, begunAt begun: Instant, _ moment: Instant) async throws {
    unread.remove(listing)
    snapshots[listing] = begun
    feed?.service.recount([listing.actor])
    let open = questions.count
    questions = questions.filter { $0.key.listing != listing || $0.value.since.at >= moment }
    if questions.count < open { try await store.observe([], upTo: place(at: position), by: id) }
    try await learnBlocks(of: listing)
  }
}

extension HistoryEvent {
  /// Where it is in a batch that ends at a place. Others of the batch may be earlier: they are read again with it.
  fileprivate func place(in batch: StreamCursor) -> StreamCursor {
    StreamCursor(host: batch.host, sequence: nil, at: at)
  }
}

extension StreamCursor {
  /// A place from which the event comes again.
  fileprivate var before: StreamCursor {
    StreamCursor(host: host, sequence: sequence.map { $0 - 1 }, at: at)
  }
}
