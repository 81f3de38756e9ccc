// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
public import ATProtoCore

/// How much is known of when the followers of a snapshot followed.
public struct FollowerDates: Sendable {
  /// How many followers there are by the last snapshot.
  public var followers = 0
  /// How many of those who were wanted tell when they followed.
  public var dated = 0
  /// How many were wanted: all, or a sample.
  public var wanted = 0
  /// Why it was not learned of others; nil where nothing failed.
  public var fault: RelationshipError?

  /// Nothing is known.
  public init() {}

  /// Whether a sample was wanted.
  public var isSampled: Bool { wanted < followers }
}

/// Chooses some of many accounts: by their DIDs, so that the same ones are chosen each time, and of a larger sample all of
/// a smaller one are a part.
public struct AccountSample: Sendable, Hashable {
  /// Those whose hash is no larger are chosen.
  private let largest: UInt64

  /// Chooses about so many of a population; all where there are no more.
  public init(_ size: Int, of population: Int) {
    largest =
      size >= population
      ? .max : UInt64(Double(max(0, size)) / Double(population) * 18_446_744_073_709_549_568)
  }

  /// Whether an account is chosen.
  public func contains(_ account: DID) -> Bool {
    guard largest < .max else { return true }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
    for byte in account.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9  // SplitMix64: FNV leaves the upper bits alike.
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return (hash ^ (hash >> 31)) <= largest
  }
}

extension SnapshotRecorder {
  /// Accounts of a page of the store.
  private static let datesPage = 5_000
  /// Calls of 30 under way at once, and kept together.
  private static let datesBatch = 240

  /// Learns when the followers of the last snapshot followed, and keeps it with the snapshot: a call for every 30, or with an
  /// index of backlinks one for every 1,000. What is known is not asked again, so that a run that was cut off goes on.
  ///
  /// - Parameters:
  ///   - sample: how many are wanted; an index tells of all at once.
  ///   - advanced: is told how many more are learned.
  /// - Throws: what the store throws; `CancellationError`. What a server fails to tell is in the answer.
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
    return dates
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
