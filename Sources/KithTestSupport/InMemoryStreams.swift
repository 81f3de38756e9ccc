// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithHistory
internal import KithRelationships

/// What an ``InMemoryHistoryStore`` keeps of streams.
struct InMemoryStreams {
  var lastReader: Int64 = 0
  var readers: [HistoryListing: StreamReaderID] = [:]
  var cursors: [StreamReaderID: StreamCursor] = [:]
  var records: [HistoryListing: [DID: [RecordKey?: ListedAccount.Record]]] = [:]
  var hidings: [HistoryListing: [DID: [LossCause: ListedAccount.Hiding]]] = [:]
  var gaps: [HistoryListing: [HistoryGap]] = [:]
  var names: [DID: [Sample<Handle>]] = [:]

  mutating func removeIdleReaders() {
    let busy = Set(readers.values)
    cursors = cursors.filter { busy.contains($0.key) }
  }

  mutating func addGap(of listing: HistoryListing, since: Instant, until: Instant) {
    var all = gaps[listing] ?? []
    let known = all.first { $0.since == since }
    all.removeAll { $0.since == since }
    all.append(HistoryGap(since: since, until: max(until, known?.until ?? until)))
    gaps[listing] = all.sorted { $0.since < $1.since }
  }

  /// - Returns: whether the name is new.
  mutating func rename(_ account: DID, _ handle: Handle, at moment: Instant) -> Bool {
    var all = names[account] ?? []
    guard all.last(where: { $0.at <= moment })?.value != handle, !all.contains(where: { $0.at == moment })
    else { return false }
    all.append(Sample(at: moment, handle))
    names[account] = all.sorted { $0.at < $1.at }
    return true
  }

  // MARK: Records

  /// Forgets the records that no stay names, and returns their accounts.
  mutating func forgetRecords(of listing: HistoryListing) -> [DID] {
    let all = records[listing] ?? [:]
    records[listing] = all.mapValues { $0.filter { $0.value.endedAt != nil } }
    return all.filter { $0.value.values.contains { $0.endedAt == nil } }.map(\.key)
  }

  /// Whether a snapshot hides an account since it began.
  func hides(_ account: DID, on listing: HistoryListing, since: Instant) -> Bool {
    (hidings[listing]?[account] ?? [:]).values.contains { $0.until == nil && $0.since >= since }
  }

  /// Whether a stay names the record that a snapshot saw from now on.
  mutating func takes(_ key: RecordKey, insteadOf edge: HistoryEdge, on listing: HistoryListing) -> Bool {
    let known = records[listing]?[edge.account] ?? [:]
    if known[key]?.endedAt != nil { return false }
    let hasGap = (gaps[listing] ?? []).contains { $0.closedAt == nil }
    if let former = edge.rkey, known[former] == nil, readers[listing] != nil, !hasGap {
      records[listing, default: [:]][edge.account, default: [:]][former] = ListedAccount.Record()
    }
    return true
  }

  /// Keeps the records in agreement with what a snapshot found, and returns the stays with their keys.
  ///
  /// - Parameter unkeyed: the accounts that it saw without the keys of their records.
  mutating func finish(
    _ snapshot: Snapshot, _ stays: [DID: [HistoryInterval]], further: [DID: Set<RecordKey>],
    withoutKey unkeyed: Set<DID>
  ) -> [DID: [HistoryInterval]] {
    let (listing, isFollowed) = (snapshot.listing, readers[snapshot.listing] != nil)
    var stays = stays
    func open(_ account: DID) -> HistoryInterval? {
      stays[account]?.last.flatMap { $0.lostIn == nil ? $0 : nil }
    }
    var (records, hidings) = (self.records[listing] ?? [:], self.hidings[listing] ?? [:])
    if snapshot.extent == .full, !isFollowed {
      records = records.mapValues { $0.filter { $0.value.endedAt != nil } }
      hidings = [:]
    } else {
      for (account, known) in records {
        guard var last = open(account) else { continue }
        let keys = known.filter { $0.value.endedAt == nil }.keys.compactMap(\.self)
        if last.first.id == snapshot.id, last.edge.rkey == nil,
          let key = keys.min(by: { $0.description < $1.description })
        {
          last = HistoryInterval(
            HistoryEdge(account, rkey: key), first: last.first, isReturn: last.isReturn)
          stays[account]?.removeLast()
          stays[account]?.append(last)
        }
        records[account] = known.filter { key, record in
          record.endedAt != nil || key != nil && key != last.edge.rkey
        }
      }
      for (account, all) in stays where isFollowed && all.last?.lostIn?.id == snapshot.id {
        guard let loss = all.last?.loss, loss.cause.isHiding else { continue }
        records[account, default: [:]][all.last?.edge.rkey] = ListedAccount.Record()
        hidings[account, default: [:]][loss.cause] = ListedAccount.Hiding(since: snapshot.startedAt)
      }
      for (account, known) in records where open(account) == nil {
        guard !(hidings[account] ?? [:]).values.contains(where: { $0.until == nil }) else { continue }
        records[account] = known.mapValues { ListedAccount.Record(endedAt: $0.endedAt ?? snapshot.endedAt) }
      }
      for (account, known) in hidings where open(account) != nil {
        hidings[account] = known.mapValues { hiding in
          guard hiding.until == nil, hiding.since < snapshot.startedAt else { return hiding }
          return ListedAccount.Hiding(since: hiding.since, until: snapshot.startedAt)
        }
      }
    }
    for (account, keys) in further {
      guard let last = open(account), last.first.id <= snapshot.id else { continue }
      for key in keys where key != last.edge.rkey && records[account]?[key] == nil {
        records[account, default: [:]][key] = ListedAccount.Record()
      }
    }
    (self.records[listing], self.hidings[listing]) = (records, hidings)
    guard snapshot.extent == .full else { return stays }
    let isAfterGap = (gaps[listing] ?? []).contains { $0.closedAt == nil && $0.until <= snapshot.startedAt }
    for account in unkeyed where isAfterGap {
      guard let last = open(account), last.first.id < snapshot.id else { continue }
      stays[account]?.removeLast()
      stays[account]?.append(
        HistoryInterval(HistoryEdge(account), first: last.first, isReturn: last.isReturn))
    }
    if snapshot.counts.unconfirmed == 0 { closeGaps(by: snapshot) }
    return stays
  }

  private mutating func closeGaps(by snapshot: Snapshot) {
    gaps[snapshot.listing] = gaps[snapshot.listing]?.map { gap in
      guard gap.closedAt == nil, gap.until <= snapshot.startedAt else { return gap }
      return HistoryGap(since: gap.since, until: gap.until, closedAt: snapshot.endedAt)
    }
  }

  // MARK: Forgetting

  mutating func prune(before: Instant) {
    records = records.mapValues {
      $0.mapValues { $0.filter { $0.value.endedAt.map { before <= $0 } ?? true } }
    }
    hidings = hidings.mapValues { $0.mapValues { $0.filter { $0.value.until.map { before <= $0 } ?? true } } }
    gaps = gaps.mapValues { $0.filter { $0.closedAt.map { before <= $0 } ?? true } }
    names = names.mapValues { all in
      let last = all.last { $0.at < before }
      return all.filter { $0.at >= before || $0 == last }
    }
  }

  mutating func forget(_ listings: [HistoryListing]) {
    for listing in listings {
      (readers[listing], records[listing], hidings[listing], gaps[listing]) = (nil, nil, nil, nil)
    }
    removeIdleReaders()
  }
}
