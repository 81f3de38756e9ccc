// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// The answers of a check in each of its graphs, target by target: those of Bluesky's come from the AppView, the others
/// from repositories, several at the same time.
struct AnswersInGraphs {
  /// Targets whose repositories are read at the same time.
  private static let atOnce = 16

  private let graphs: [(graph: FollowGraph, answers: GraphAnswers?)]
  private let time: TimeSource
  private let friendships: FriendshipReader?
  private var waiting: [RelationshipAnswer] = []

  /// - Returns: nil if only Bluesky's graph is looked at, whose answers are there already.
  init?(_ graphs: [FollowGraph], about actor: DID, withRequests asksRequests: Bool, in workspace: Workspace) {
    if graphs == [.bluesky], !asksRequests { return nil }
    friendships = asksRequests ? workspace.friendships().reader(of: actor) : nil
    let listings = workspace.listings(by: workspace.appview, usingCache: true)
    self.graphs = graphs.map { graph in
      (graph, graph == .bluesky ? nil : GraphAnswers(about: actor, in: graph, by: listings))
    }
    time = workspace.time
  }

  /// Takes the AppView's answer about a target.
  ///
  /// - Parameter isLast: whether no other answer is there yet.
  /// - Returns: the answers that are ready, in order.
  mutating func add(
    _ answer: RelationshipAnswer, isLast: Bool
  ) async throws -> [(FollowGraph, RelationshipAnswer)] {
    waiting.append(answer)
    return isLast || waiting.count == Self.atOnce ? try await ready() : []
  }

  /// The answers that are left.
  mutating func finish(_ note: (Note) -> Void) async throws -> [(FollowGraph, RelationshipAnswer)] {
    let last = try await ready()
    for (graph, answers) in graphs {
      if let requests = await answers?.requests, requests > 0 { note(.followsAwaitApproval(requests, graph)) }
    }
    return last
  }

  private mutating func ready() async throws -> [(FollowGraph, RelationshipAnswer)] {
    let moment = Datetime(at: time.instant)
    if let friendships {
      let known = waiting.compactMap { $0.info == nil ? nil : $0.target }
      let found = try await friendships.friendships(with: Array(Set(known)))
      waiting = waiting.map { answer in answer.with(answer.target.flatMap { found[$0]?.summary }) }
    }
    let answers = try await waiting.concurrentMap(atMost: Self.atOnce) { [graphs] answer in
      var found: [(FollowGraph, RelationshipAnswer)] = []
      for (graph, answers) in graphs {
        found.append((graph, try await answers?.answer(like: answer, at: moment) ?? answer))
      }
      return found
    }
    waiting = []
    return answers.flatMap(\.self)
  }
}
