// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting

/// The changes of an account that jobs made and that are in effect, by the account that they are about.
struct TimedEdges: Sendable {
  /// The mutes.
  private(set) var mutes: [DID: TimedEdge] = [:]
  /// The follows and blocks, by their collection.
  private(set) var records: [NSID: [DID: TimedEdge]] = [:]

  init() {}

  init(_ changes: [TimedChange]) {
    // Of two changes of one account, the later one counts.
    for change in changes.sorted(by: { $0.job.order < $1.job.order }) {
      if let mute = change.mute {
        mutes[mute.account] = TimedEdge(until: change.until, scope: mute.scope)
      }
      guard let account = change.account else { continue }
      for write in change.item.step.writes where write.makesRecord {
        records[write.collection, default: [:]][account] = TimedEdge(until: change.until)
      }
    }
  }

  /// Those that a listing of the account shows.
  func edges(of listing: ActorListing) -> [DID: TimedEdge] {
    switch listing {
    case .mutes: mutes
    case .blocks: records[.block] ?? [:]
    case .follows: records[.follow] ?? [:]
    case .graph(let listing): listing.needsIndex ? [:] : records[listing.graph.collection] ?? [:]
    case .followers, .members, .blockers, .reactions: [:]
    }
  }
}

extension Workspace {
  /// What jobs made that has an end or mutes a part, and is in effect; nothing if no job was ever made here, or if the
  /// journal cannot be read: what servers tell is not withheld for it.
  func timedEdges(of account: DID) async -> TimedEdges {
    guard let store = try? stores.journal(.leave), let found = try? await store.standing(of: account) else {
      return TimedEdges()
    }
    return TimedEdges(found)
  }

  /// What is known about the edges of a listing of the account besides what the listing says.
  ///
  /// - Throws: `CancellationError`.
  func timedEdges(
    of listing: ActorListing, for account: AuthorizedAccount
  ) async throws -> [DID: TimedEdge] {
    let edges = await timedEdges(of: account.did).edges(of: listing)
    if case .mutes = listing { return try await confirmed(edges, of: account) }
    return edges
  }

  /// The accounts of which Kith muted a part, with their names, which no listing has.
  ///
  /// - Parameter standing: what was confirmed and is not in a listing.
  /// - Throws: `CancellationError`.
  func partialMutes(
    among standing: [DID: TimedEdge]
  ) async throws -> [(view: AccountView, standing: TimedEdge)] {
    let parts = standing.filter { $0.value.mutesPart }
    if parts.isEmpty { return [] }
    let known = try await names().views(of: parts.keys, asking: true)
    return parts.sorted { $0.key.description < $1.key.description }.map { muted, part in
      (known[muted] ?? AccountView(muted), part)
    }
  }

  /// The mutes without those of a part that another app has ended or replaced: no server lists them, but for each the
  /// AppView says whether it still is so. Calls only if there are any, 25 accounts each.
  ///
  /// - Throws: `CancellationError`.
  func confirmed(
    _ mutes: [DID: TimedEdge], of account: AuthorizedAccount
  ) async throws -> [DID: TimedEdge] {
    let parts = mutes.filter { $0.value.mutesPart }
    if parts.isEmpty { return mutes }
    let states = try await MuteStates(client: account.appview).outcomes(of: Array(parts.keys))
    return mutes.filter { muted, edge in
      guard edge.mutesPart, case .success(let state?)? = states[muted] else { return true }
      return state.direct == edge.scope.map { .scope($0) }
    }
  }
}

/// Lists what jobs made and is still to be undone, earliest end first.
public struct ListTimedChanges: KithOperation {
  public static let name = "listTimedChanges"

  public init() {}

  /// - Throws: what the stores throw.
  public func run(in workspace: Workspace, _ report: Reporter<TimedChangeRow>) async throws -> RowsOutcome {
    let account = workspace.chosenAccount == nil ? nil : try await workspace.account().did
    let found = try await workspace.jobStoreToRead().standing(of: account).filter { $0.until != nil }
    let known = try await workspace.names().views(of: found.compactMap(\.account), asking: false)
    return await report.deliver(
      found.map { TimedChangeRow(change: $0, view: $0.account.flatMap { known[$0] }) })
  }
}
