// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithRelationships
public import KithWriting

/// What an account has written about others, besides what a block deletes: looked up while the block is planned and
/// sent, which never waits for it.
public struct OtherRecordsOfBlocked: Sendable {
  /// The most collections that are looked into; others are named as not looked at.
  private static let mostCollections = 8
  /// How long one of the calls may take.
  private static let patience = Duration.seconds(2)

  /// What is known so far.
  private struct Found {
    var kept: [DID: [String]] = [:]
    /// The places not read yet; nil until the collections are known.
    var left: [String]?
  }

  /// A collection that may name accounts.
  private struct Place {
    let name: String
    /// What a record in it is called.
    let record: String
    /// The accounts of one page, and whether these are all: a page that is not full is hardly followed by another.
    let accounts: @Sendable (RecordReader) async throws -> (accounts: [DID], isWhole: Bool)
  }

  private let found = PosixMutex(Found())
  private let looking: ReadOnce<Void>

  /// - Parameter ended: the graphs in which follows are ended along with the block.
  public init(of account: AuthorizedAccount, endingIn ended: [FollowGraph] = [], in workspace: Workspace) {
    looking = ReadOnce { [found] in
      // With one call at a time, the block would wait in the queue behind these.
      guard workspace.concurrency > 1 else { return }
      var client = account.repository
      client.configuration.retry = RetryPolicy(
        attempts: 1, attemptsAtUntrustedHosts: 1, budget: Self.patience)
      client.configuration.patience = Self.patience
      client.configuration.limits.total = min(client.configuration.limits.total, Self.patience)
      await Self.look(RecordReader(of: account.did, client: client), without: ended, into: found)
    }
  }

  /// Looks once into the newest follows in other graphs, requests and answers in the account's repository: one call for
  /// its collections, then one for each of them, at the same time and without retries. Returns when that has ended.
  ///
  /// Cancel it once the block is sent. What could not be read is left out, and ``notes(for:)`` says so.
  public func look() async { try? await looking.value() }

  private static func look(
    _ reader: RecordReader, without ended: [FollowGraph], into found: PosixMutex<Found>
  ) async {
    guard let collections = try? await reader.collections() else { return }
    let places = places(among: collections, without: ended)
    found.withLock { $0.left = places.map(\.name) }
    await withTaskGroup(of: Void.self) { group in
      for place in places.prefix(Self.mostCollections) {
        group.addTask {
          guard let page = try? await place.accounts(reader) else { return }
          found.withLock { found in
            for other in page.accounts { found.kept[other, default: []].append(place.record) }
            if page.isWhole { found.left?.removeAll { $0 == place.name } }
          }
        }
      }
    }
  }

  private static func places(among collections: Set<NSID>, without ended: [FollowGraph]) -> [Place] {
    let graphs = ListGraphs.graphs(among: collections).filter { $0 != .bluesky && !ended.contains($0) }
    var places = graphs.map { graph in
      Place(name: "follows on \(graph.name)", record: "your follow on \(graph.name)") { reader in
        var pages = reader.accounts(in: graph.kind).makeAsyncIterator()
        let page = try await pages.nextPage() ?? []
        let isWhole = pages.isAtEnd || page.count < RecordReader.pageSize
        return (Set(page.compactMap { try? $0?.get().account }).sorted { "\($0)" < "\($1)" }, isWhole)
      }
    }
    if collections.contains(FriendRequest.collection) {
      places.append(
        Place(name: "requests", record: "your request, void until you unblock") { reader in
          var pages = FriendRecords(reader).requests().makeAsyncIterator()
          let page = try await pages.nextPage() ?? []
          return (page.compactMap { $0?.subject }, pages.isAtEnd || page.count < RecordReader.pageSize)
        })
    }
    if collections.contains(FriendAnswer.collection) {
      places.append(
        Place(name: "acceptances", record: "your acceptance of their request, void until you unblock") {
          reader in
          var pages = FriendRecords(reader).answers().makeAsyncIterator()
          let page = try await pages.nextPage() ?? []
          return (page.compactMap { $0?.requester }, pages.isAtEnd || page.count < RecordReader.pageSize)
        })
    }
    return places
  }

  /// Notes about the records that stay after a planned block, and about the places not read yet.
  public func notes(for planned: PlannedChange) -> [ChangeNote] {
    guard let other = planned.change.blocked, planned.refusal == nil else { return [] }
    let found = found.withLock(\.self)
    var notes = found.kept[other].map { [ChangeNote.staysElsewhere($0)] } ?? []
    switch found.left {
    case nil: notes.append(.remainsNotLearned(["follows in other graphs", "requests", "acceptances"]))
    case let left?: if !left.isEmpty { notes.append(.remainsNotLearned(left)) }
    }
    return notes
  }
}
