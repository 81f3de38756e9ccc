// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithHistory
internal import KithRelationships

extension InMemoryHistoryStore {
  public func follow(_ listings: [HistoryListing], from cursor: StreamCursor) -> StreamReaderID {
    streams.lastReader += 1
    let reader = StreamReaderID(number: streams.lastReader)
    streams.cursors[reader] = cursor
    for listing in listings {
      streams.readers[listing] = reader
      if !observed.contains(listing) { observed.append(listing) }
    }
    streams.removeIdleReaders()
    return reader
  }

  public func unfollow(_ listings: [HistoryListing]) {
    for listing in listings where streams.readers[listing] != nil {
      streams.readers[listing] = nil
      forgetRecords(of: listing)
      streams.hidings[listing] = nil
    }
    streams.removeIdleReaders()
  }

  public func cursors(of listings: [HistoryListing]) -> [HistoryListing: StreamCursor] {
    var found: [HistoryListing: StreamCursor] = [:]
    for listing in listings { found[listing] = streams.readers[listing].flatMap { streams.cursors[$0] } }
    return found
  }

  public func readers(of listings: [HistoryListing]) -> [HistoryListing: StreamReaderID] {
    streams.readers.filter { listings.contains($0.key) }
  }

  @discardableResult
  public func observe(
    _ events: [HistoryEvent], upTo cursor: StreamCursor, by reader: StreamReaderID
  ) throws -> ObservedEvents {
    guard streams.cursors[reader] != nil else { throw HistoryError.replaced(reader, at: cursor.host) }
    streams.cursors[reader] = cursor
    let followed = observed.filter { streams.readers[$0] == reader }
    var found = ObservedEvents()
    for (index, event) in events.enumerated() {
      let next = events.indices.contains(index + 1) ? events[index + 1] : nil
      for place in places(of: event, index, in: followed, &found)
      where !event.isUndone(by: next, place.account, on: place.listing) {
        change(place, event, index, cursor.host, &found)
      }
    }
    return found
  }

  public func recordGap(of listings: [HistoryListing], since: Instant, until: Instant) {
    for listing in listings {
      if !observed.contains(listing) { observed.append(listing) }
      streams.addGap(of: listing, since: since, until: until)
      forgetRecords(of: listing)
    }
  }

  public func gaps(of listing: HistoryListing) -> [HistoryGap] { streams.gaps[listing] ?? [] }

  public func standings(of account: DID) -> [ListingStanding] {
    observed.filter { streams.readers[$0] != nil && accounts(on: $0, include: account) }
      .map { known(account, on: $0).standing(on: $0) }
  }

  public func names(of account: DID) -> [Sample<Handle>] { streams.names[account] ?? [] }

  private func forgetRecords(of listing: HistoryListing) {
    for account in streams.forgetRecords(of: listing) {
      guard let last = intervals[listing]?[account]?.last, last.lostIn == nil else { continue }
      replaceLast(
        with: HistoryInterval(HistoryEdge(account), first: last.first, isReturn: last.isReturn), on: listing)
    }
  }

  // MARK: Events

  private typealias Place = (account: DID, listing: HistoryListing)

  /// The followed listings that an event is about, each with the account on it.
  private func places(
    of event: HistoryEvent, _ index: Int, in followed: [HistoryListing], _ found: inout ObservedEvents
  ) -> [Place] {
    switch event.kind {
    case .made(let account, _, let listing), .blocked(let account, _, let listing),
      .unblocked(let account, _, let listing):
      return followed.contains(listing) ? [(account, listing)] : []
    case .lost(let loss, let listing): return followed.contains(listing) ? [(loss.account, listing)] : []
    case .hidden(let account, _), .shown(let account), .purged(let account):
      var end: Instant?
      if case .shown = event.kind { end = event.at }
      return followed.filter { $0.isMadeByMembers && known(account, on: $0).isThere(orHiddenUntil: end) }
        .map { (account, $0) }
    case .deleted(let key, let collection, let author):
      let mine = followed.filter { $0.collection == collection }
      let places = mine.flatMap { listing in
        accounts(on: listing).filter { listing.author(of: $0) == author && known($0, on: listing).has(key) }
          .map { (account: $0, listing: listing) }
      }
      let mayConcern = mine.contains { listing in
        listing.isMadeByMembers ? known(author, on: listing).hasUnknownKey : listing.actor == author
      }
      if places.isEmpty, mayConcern { found.unresolved.append(index) }
      return places
    case .renamed(let account, let handle):
      let isKnown =
        observed.contains { $0.actor == account || intervals[$0]?[account] != nil } || counts[account] != nil
        || watchedActors.contains { $0.actor == account }
      if isKnown, streams.rename(account, handle, at: event.at) { found.renames.append(index) }
      return []
    }
  }

  private func change(
    _ place: Place, _ event: HistoryEvent, _ index: Int, _ stream: String, _ found: inout ObservedEvents
  ) {
    let (account, listing) = place
    var state = known(account, on: listing)
    let before = state
    let step: ListedAccount.Step? =
      switch event.kind {
      case .made(_, let key, _): state.made(key, at: event.at)
      case .deleted(let key, _, _): state.deleted(key, at: event.at, listing.causeOfDeletion)
      case .hidden(_, let cause), .blocked(_, let cause, _): state.hidden(cause, at: event.at)
      case .shown: state.shown({ !$0.isBlock }, at: event.at)
      case .unblocked(_, let cause, _): state.shown({ $0 == cause }, at: event.at)
      case .purged: state.purged(at: event.at)
      case .lost(let loss, _): state.lost(loss, at: event.at)
      case .renamed: nil
      }
    streams.records[listing, default: [:]][account] = state.records
    streams.hidings[listing, default: [:]][account] = state.hidings
    func seen() -> Observation {
      lastID += 1
      return Observation(ObservationID(number: lastID), .event(stream: stream), after: event.at, by: event.at)
    }
    switch step {
    case .began(let key):
      let interval = HistoryInterval(
        HistoryEdge(account, rkey: key), first: seen(), isReturn: !before.stays.isEmpty)
      intervals[listing, default: [:]][account, default: []].append(interval)
      let kind: HistoryChange.Kind = interval.isReturn ? .returned : .gained
      let change = HistoryChange(kind, interval.edge, on: listing, seen: interval.first)
      found.changes.append(ObservedEvents.Change(index, change))
    case .ended(let key, let cause, let evidence):
      guard var last = intervals[listing]?[account]?.last else { return }
      let (seen, loss) = (seen(), HistoryLoss(account, cause, evidence))
      (last.lostIn, last.loss) = (seen, loss)
      replaceLast(with: last, on: listing)
      let change = HistoryChange(
        .lost, HistoryEdge(account, rkey: key), on: listing, loss: loss, seen: seen)
      found.changes.append(ObservedEvents.Change(index, change))
    case .unresolved: if found.unresolved.last != index { found.unresolved.append(index) }
    case nil:
      guard state.stays != before.stays, let key = state.stays.last?.key,
        let last = intervals[listing]?[account]?.last
      else { return }
      replaceLast(
        with: HistoryInterval(HistoryEdge(account, rkey: key), first: last.first, isReturn: last.isReturn),
        on: listing)
    }
  }

  private func accounts(on listing: HistoryListing) -> Set<DID> {
    Set((intervals[listing] ?? [:]).keys).union((streams.records[listing] ?? [:]).keys)
  }

  private func accounts(on listing: HistoryListing, include account: DID) -> Bool {
    intervals[listing]?[account] != nil || streams.records[listing]?[account]?.isEmpty == false
      || streams.hidings[listing]?[account]?.isEmpty == false
  }

  private func known(_ account: DID, on listing: HistoryListing) -> ListedAccount {
    let stays = (intervals[listing]?[account] ?? []).map { interval in
      ListedAccount.Stay(
        interval.edge.rkey, seenBy: interval.first.by, isOfEvent: interval.first.source != .snapshot,
        lostBy: interval.lostIn?.by, cause: interval.loss?.cause)
    }
    return ListedAccount(
      stays: stays, records: streams.records[listing]?[account] ?? [:],
      hidings: streams.hidings[listing]?[account] ?? [:])
  }
}

extension ListedAccount {
  private var isOpen: Bool { stays.last.map { $0.lostBy == nil } ?? false }

  /// Whether it is on the listing, or would be if nothing hid it, or something hid it until a time.
  fileprivate func isThere(orHiddenUntil end: Instant?) -> Bool {
    isOpen || records.values.contains { $0.endedAt == nil }
      || hidings.values.contains { $0.until == nil || $0.until == end }
  }

  fileprivate var hasUnknownKey: Bool { isOpen && stays.last?.key == nil || records[nil] != nil }

  fileprivate func has(_ key: RecordKey) -> Bool {
    records[key] != nil || stays.contains { $0.key == key }
  }
}
