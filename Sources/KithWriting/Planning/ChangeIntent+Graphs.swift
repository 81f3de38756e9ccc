// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

extension ChangeIntent {
  /// Follow the account in the graph of an app: ``follow(_:)`` in Bluesky's, a record of the same shape in another one.
  public static func follow(_ account: DID, in graph: FollowGraph) -> ChangeIntent {
    ChangeIntent.make(RecordEdge(following: account, in: graph)).withItsRules
  }

  /// Unfollow the account in the graph of an app, deleting every record of it.
  public static func unfollow(_ account: DID, in graph: FollowGraph) -> ChangeIntent {
    ChangeIntent.remove(RecordEdge(following: account, in: graph)).withItsRules
  }

  /// The graph whose follow it makes or removes; nil for any other change.
  public var graph: FollowGraph? {
    switch self {
    case .follow, .unfollow: .bluesky
    case .make(let edge), .remove(let edge): FollowGraph(edge.collection)
    default: nil
    }
  }
}

extension ChangeStep {
  /// The graph whose follows are all that it writes; nil for any other step.
  public var graph: FollowGraph? {
    let graphs = Set(writes.map { FollowGraph($0.collection) })
    return graphs.count == 1 ? graphs.first.flatMap(\.self) : nil
  }
}
