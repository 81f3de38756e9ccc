// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore
public import KithRelationships

/// How far the follow dates of a snapshot's followers are known.
public struct FollowerDates: Sendable {
  /// Number of followers in the last snapshot.
  public var followers = 0
  /// Number of wanted followers whose follow date is known.
  public var dated = 0
  /// Number of wanted followers: all, or a sample.
  public var wanted = 0
  /// The first error for the remaining followers; nil if nothing failed.
  public var fault: RelationshipError?

  /// Creates an empty result.
  public init() {}
}

extension SnapshotRecorder {
  /// Accounts per page of the store.
  private static let datesPage = 5_000
  /// Accounts per batch, at 30 per call; the calls of a batch are concurrent, and their results are stored
  /// together.
  private static let datesBatch = 240

  /// Learns when the followers of the last snapshot followed, and stores the dates, and which sample of the
  /// followers was asked, with the snapshot: one call per 30, or one per 1,000 with a backlink index. Known
  /// dates are not requested again, so an interrupted run can continue.
  ///
  /// - Parameters:
  ///   - sample: how many followers are wanted; an index provides all of them.
  ///   - advanced: called with the number of dates just learned.
  /// - Throws: what the store throws; `CancellationError`. Server errors are in the result.
  public func learnDates(
    of actor: DID, sample: Int, advanced: @Sendable (Int) -> Void = { _ in }
  ) async throws -> FollowerDates {
    let listing = HistoryListing(.followers, of: actor)
    var dates = FollowerDates()
    guard let snapshot = try await store.snapshots(of: listing).last(where: { $0.state == .complete }) else {
      return dates
    }
    dates.followers = snapshot.counts.listed
    let chosen = AccountSample(listings.index == nil ? sample : .max, of: dates.followers)
    if let index = listings.index {
      do { try await learnDates(of: listing, by: index, advanced) } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        dates.fault = fault
      }
    }
    var (last, waiting) = (DID?.none, [DID]())
    while true {
      let page = try await store.edges(of: listing, at: snapshot.id, after: last, most: Self.datesPage)
      guard let end = page.last else { break }
      last = end.account
      for edge in page where chosen.contains(edge.account) {
        dates.wanted += 1
        if edge.rkey != nil { dates.dated += 1 } else { waiting.append(edge.account) }
      }
      for batch in waiting.parts(of: Self.datesBatch) {
        try await ask(batch, of: listing, &dates, advanced)
      }
      waiting = []
    }
    try await store.record(chosen, of: snapshot.id)
    return dates
  }

  /// The keys of followers that a snapshot learns on the way: 10 calls, at 30 accounts each.
  package static let keysOnTheWay = 300

  /// Learns the keys of some followers, so that their repositories can be asked with one call each.
  ///
  /// Those with the smallest hashes come first: so they are a sample, of which statistics know the dates.
  func learnKeys(of snapshot: Snapshot, _ judge: LossClassifier) async throws {
    // An AppView that lacks follows would not name their keys either.
    guard snapshot.counts.doubted == 0 else { return }
    let listing = snapshot.listing
    var (chosen, last, isCut) = ([(hash: Int64, account: DID)](), DID?.none, false)
    while true {
      let page = try await store.edges(of: listing, at: snapshot.id, after: last, most: Self.datesPage)
      guard let end = page.last else { break }
      last = end.account
      chosen += page.lazy.filter { $0.rkey == nil }.map { (AccountSample.hash(of: $0.account), $0.account) }
      chosen.sort { $0 < $1 }
      isCut = isCut || chosen.count > Self.keysOnTheWay
      chosen.removeLast(max(0, chosen.count - Self.keysOnTheWay))
    }
    guard let largest = chosen.last?.hash else { return }
    let keys = try await judge.recordKeys(of: chosen.map(\.account), following: listing.actor)
    try await store.learn(keys.edges, of: listing)
    guard keys.isComplete else { return }
    try await store.record(AccountSample(largest: isCut ? largest : .max), of: snapshot.id)
  }

  private func ask(
    _ accounts: [DID], of listing: HistoryListing, _ dates: inout FollowerDates,
    _ advanced: @Sendable (Int) -> Void
  ) async throws {
    var edges: [HistoryEdge] = []
    for try await answer in listings.freshRelationships.relationships(of: listing.actor, with: accounts) {
      switch answer.state {
      case .known(let info):
        if let key = info.followedBy?.recordKey { edges.append(HistoryEdge(info.target, rkey: key)) }
      case .itself, .notFound: break
      case .failed(let error): dates.fault = dates.fault ?? error
      }
    }
    try await store.learn(edges, of: listing)
    dates.dated += edges.count
    advanced(edges.count)
  }

  private func learnDates(
    of listing: HistoryListing, by index: BacklinkIndex, _ advanced: @Sendable (Int) -> Void
  ) async throws {
    var pages = index.links(from: .follows, to: { listing.actor.description }) { $0 }.makeAsyncIterator()
    while let page = try await pages.nextPage() {
      let edges = page.compactMap { view in
        view.record?.recordKey.map { HistoryEdge(view.account, rkey: $0) }
      }
      try await store.learn(edges, of: listing)
      advanced(edges.count)
    }
  }
}
