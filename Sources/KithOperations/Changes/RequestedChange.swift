// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships
public import KithWriting

/// One requested change.
public struct RequestedChange: Sendable {
  /// The name as typed or read from a file.
  public let input: String
  /// The change, or why the name is unusable.
  public let change: Result<ChangeIntent, any Error>
  /// Whether its account is known to exist, for example because a server has just returned it.
  public let isResolved: Bool
  /// The graph of the follow that is asked for; nil if it is about something else.
  public let graph: FollowGraph?
  /// When it is to be undone; nil if that is decided for all requests.
  public let until: Datetime?

  public init(
    _ input: String, _ change: Result<ChangeIntent, any Error>, isResolved: Bool = true,
    until: Datetime? = nil, graph: FollowGraph? = nil
  ) {
    self.graph = graph ?? (try? change.get())?.graph
    self.input = input
    self.change = change
    self.isResolved = isResolved
    self.until = until
  }

  /// The request to the engine; nil if the name is unusable.
  public var named: ChangePlan.Request? {
    (try? change.get()).map { ChangePlan.Request(input, $0, isResolved: isResolved, until: until) }
  }
}

extension SelectedAccounts {
  /// A change of each account in each of the graphs; of one that a listing of a graph has selected, only in that graph.
  public func requests(
    in graphs: [FollowGraph], _ change: (DID, FollowGraph) -> ChangeIntent
  ) -> [RequestedChange] {
    var requested: [FollowGraph: Set<DID>] = [:]
    return members.flatMap { member in
      (member.graph.map { [$0] } ?? graphs).compactMap { graph in
        if case .success(let account) = member.account,
          !requested[graph, default: []].insert(account).inserted, member.graph != nil
        {
          return nil
        }
        return RequestedChange(
          member.name, member.account.mapError { $0 as any Error }.map { change($0, graph) },
          isResolved: member.isResolved, graph: graph)
      }
    }
  }

  /// A change of each account.
  public func requests(_ change: (DID) -> ChangeIntent) -> [RequestedChange] {
    members.map { member in
      RequestedChange(
        member.name, member.account.mapError { $0 as any Error }.map(change), isResolved: member.isResolved)
    }
  }
}
