// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships
public import KithWriting

/// What an account has written about others, besides what a block deletes.
public struct RecordsBesideBlock: Sendable {
  private var kept: [DID: [String]] = [:]
  private var isUnknown = false

  /// Reads the follows in other graphs, requests and answers in the account's repository: one call, and one for each
  /// such collection that is there. A block does not fail because they cannot be read.
  ///
  /// - Parameter ended: the graphs in which follows are ended along with the block.
  /// - Throws: `CancellationError`, and errors that are not failures of the network.
  public init(
    of account: AuthorizedAccount, endingIn ended: [FollowGraph] = [], in workspace: Workspace
  ) async throws {
    do { try await read(account, ended, workspace) } catch {
      if RelationshipError.wrapping(error) == nil { throw error }
      isUnknown = true
    }
  }

  private mutating func read(
    _ account: AuthorizedAccount, _ ended: [FollowGraph], _ workspace: Workspace
  ) async throws {
    let collections = try await workspace.collections(of: account.did)
    for graph in ListGraphs.graphs(among: collections) where graph != .bluesky && !ended.contains(graph) {
      let reader = RecordReader(of: account.did, client: account.repository)
      for other in try await GraphFollows(graph, by: reader).accounts.keys {
        kept[other, default: []].append("your follow on \(graph.name)")
      }
    }
    let records = FriendRecords(RecordReader(of: account.did, client: account.repository))
    if collections.contains(FriendRequest.collection) {
      for try await case let request? in records.requests() {
        kept[request.subject, default: []].append("your request, void until you unblock")
      }
    }
    if collections.contains(FriendAnswer.collection) {
      for try await case let answer? in records.answers() {
        if let requester = answer.requester {
          kept[requester, default: []].append("your acceptance of their request, void until you unblock")
        }
      }
    }
  }

  /// A planned change with a note about what stays.
  public func noted(_ planned: PlannedChange) -> PlannedChange {
    guard case .block(let other) = planned.change, planned.refusal == nil,
      let kept = isUnknown ? ["could not be found out"] : kept[other]
    else { return planned }
    var planned = planned
    planned.notes.append(.staysElsewhere(kept))
    return planned
  }
}
