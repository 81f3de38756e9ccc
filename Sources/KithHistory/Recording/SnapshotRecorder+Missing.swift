// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// What snapshots conclude about missing accounts.
extension SnapshotRecorder {
  /// Accounts checked per batch: eight calls for relationships, and ten for profiles.
  private static let batchSize = 240
  /// Accounts that the AppView does not show, and records, that one snapshot of a listing asks about one by
  /// one. The others stay unconfirmed until a later snapshot: a server that lost its data would otherwise
  /// cost up to three calls for each account, every night.
  static let mostSingle = 2_000

  /// The accounts that are missing from a listing.
  private struct Missing {
    var count = 0
    /// Those that are lost as far as servers say.
    var losses: [HistoryLoss] = []
    /// Those that were not asked about, because so many are missing that the server may have lost its data.
    var unasked: [DID] = []
  }

  /// Checks the missing accounts and records losses.
  ///
  /// A loss that is proven by itself, such as a deletion or a block, is recorded whatever the others are.
  /// - Returns: the number of unconfirmed accounts, and the reason if it applies to more than single
  ///   accounts.
  func conclude(
    _ writer: any SnapshotWriter, _ counted: Int?, _ reading: Reading, _ judge: LossClassifier
  ) async throws -> (unconfirmed: Int, note: String?) {
    let missing = try await lookUpMissing(writer, reading, judge)
    if !reading.isWhole, missing.count > 0 {
      return (missing.count, "a record of the listing is unreadable")
    }
    let doubt = try await doubt(about: missing, writer, counted, reading)
    let believed = doubt.isTooLarge ? missing.losses.filter { !$0.cause.mayBeDoubted } : missing.losses
    try await writer.lose(believed)
    let unconfirmed = missing.count - believed.count
    if doubt.isTooLarge {
      try await writer.withhold(Array(doubt.gone))
      return (unconfirmed, doubt.note)
    }
    return (
      unconfirmed,
      unconfirmed > doubt.allowance ? "servers gave no clear answer about the missing accounts" : nil
    )
  }

  /// Asks about the missing accounts; about none if the listing was not readable as a whole.
  ///
  /// If so many are missing that the server may have lost its data, only one batch is asked about, unless
  /// most of it is lost for causes that are proven by themselves, or the last snapshot withheld the same.
  private func lookUpMissing(
    _ writer: any SnapshotWriter, _ reading: Reading, _ judge: LossClassifier
  ) async throws -> Missing {
    let (places, accounts) = try await missingAccounts(writer)
    var missing = Missing(count: accounts.count)
    guard reading.isWhole, !places.isEmpty else { return missing }
    let mayBeOutage = try await mayBeOutage(Set(accounts), writer, reading)
    // Each snapshot begins with another batch, so that each account gets its turn.
    let first = Int(writer.snapshot.id.number % Int64(places.count))
    var single = Self.mostSingle
    for place in places[first...] + places[..<first] {
      let batch = try await writer.missing(after: place, most: Self.batchSize)
      let losses = try await asking {
        try await judge.losses(among: batch, of: writer.snapshot.listing, reading.malformed, &single)
      }
      missing.losses += losses
      if mayBeOutage, 2 * losses.count(where: { !$0.cause.mayBeDoubted }) < batch.count {
        let asked = Set(batch.map(\.account))
        missing.unasked = accounts.filter { !asked.contains($0) }
        break
      }
    }
    return missing
  }

  /// All missing accounts, and after which of them each batch begins.
  private func missingAccounts(
    _ writer: any SnapshotWriter
  ) async throws -> (places: [DID?], accounts: [DID]) {
    var (places, accounts) = ([DID?](), [DID]())
    while true {
      let last = accounts.last
      let batch = try await writer.missing(after: last, most: Self.batchSize)
      guard !batch.isEmpty else { return (places, accounts) }
      places.append(last)
      accounts += batch.map(\.account)
    }
  }

  /// Whether so many accounts are missing as after the loss of a server's data, and the last snapshot did not
  /// withhold the same.
  private func mayBeOutage(
    _ missing: Set<DID>, _ writer: any SnapshotWriter, _ reading: Reading
  ) async throws -> Bool {
    var doubt = ConsistencyCheck(
      about: missing, of: writer.snapshot.listing.side, listed: writer.previous?.counts.listed ?? 0)
    (doubt.isEmptied, doubt.new) = (reading.isEmptied, reading.new.count)
    guard doubt.isMass else { return false }
    let withheld = try await writer.withheld()
    return withheld.isEmpty || withheld.intersection(missing).count < withheld.count - withheld.count / 10
  }

  /// What speaks against the losses that are not proven by themselves.
  private func doubt(
    about missing: Missing, _ writer: any SnapshotWriter, _ counted: Int?, _ reading: Reading
  ) async throws -> ConsistencyCheck {
    let listing = writer.snapshot.listing
    let losses = missing.losses
    let gone = Set(losses.lazy.filter(\.cause.mayBeDoubted).map(\.account)).union(missing.unasked)
    var doubt = ConsistencyCheck(about: gone, of: listing.side, listed: writer.previous?.counts.listed ?? 0)
    (doubt.isEmptied, doubt.isCut) = (reading.isEmptied, !missing.unasked.isEmpty)
    doubt.new = reading.new.count
    // Up to the allowance, nothing is compared.
    guard gone.count > doubt.allowance else { return doubt }
    let earlier = try await store.snapshots(of: listing).filter { $0.state == .complete }
    if listing.side == .followers {
      doubt.counted = counted
      doubt.countedBefore = earlier.last { $0.extent == .full }?.counts.counted
      let proven = losses.count { !$0.cause.mayBeDoubted && $0.lowersCount }
      if let expected = try await expectedCount(after: earlier, reading.new, of: listing) {
        doubt.expected = expected.count - proven
        (doubt.arrived, doubt.unlistedShare) = (expected.arrived, expected.unlistedShare)
      }
    }
    // What is proven now needs no repetition.
    let settled = losses.lazy.filter { !$0.cause.mayBeDoubted }.map(\.account)
    doubt.withheld = try await writer.withheld().subtracting(settled)
    return doubt
  }

  /// The count that the profile would have if no account were gone: the last count of a snapshot without
  /// doubt, and every change since then that moves a count of records (Q12). A block, a deactivation and
  /// the end of either leave it alone.
  ///
  /// - Returns: nil if no count is known; else the count, the changes that raised it, and the share of the last count
  ///   that no listing showed.
  private func expectedCount(
    after earlier: [Snapshot], _ new: [DID], of listing: HistoryListing
  ) async throws -> (count: Int, arrived: Int, unlistedShare: Double)? {
    guard let base = earlier.last(where: { $0.note == nil && $0.counts.counted != nil }),
      let counted = base.counts.counted, let last = earlier.last
    else { return nil }
    var (expected, arrived) = (counted, 0)
    let unlistedShare = Double(max(0, counted - base.counts.listed) + 1) / Double(max(1, counted) + 1)
    for account in new {
      let before = try await store.intervals(of: listing, about: account).last
      if before?.loss?.lowersCount ?? true { arrived += 1 }
    }
    guard base.id < last.id else { return (expected + arrived, arrived, unlistedShare) }
    let range = ObservationID(number: base.id.number + 1)...last.id
    for interval in Set(try await store.intervals(of: listing, in: range)) {
      if let lostIn = interval.lostIn, range.contains(lostIn.id), interval.loss?.lowersCount == true {
        expected -= 1
      }
      guard range.contains(interval.first.id) else { continue }
      let before =
        interval.isReturn
        ? try await store.intervals(of: listing, about: interval.edge.account)
          .last { $0.first.id < interval.first.id } : nil
      if before?.loss?.lowersCount ?? true { arrived += 1 }
    }
    return (expected + arrived, arrived, unlistedShare)
  }
}
