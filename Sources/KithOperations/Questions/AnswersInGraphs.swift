// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// The answers of a check in each of its graphs, target by target: those of Bluesky's come from the AppView, the others
/// from repositories, several at the same time.
struct AnswersInGraphs {
  /// Targets whose repositories are read at the same time: the most that are answered at once.
  static let atOnce = 16

  private let graphs: [(graph: FollowGraph, answers: GraphAnswers?)]
  private let time: TimeSource
  private let friendships: FriendshipReader?

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

  /// The answers about some targets, in order: those about each in each of the graphs.
  ///
  /// - Parameter answers: those of the AppView.
  func answers(like answers: [RelationshipAnswer]) async throws -> [RelationshipAnswer] {
    let moment = Datetime(at: time.instant)
    var answers = answers
    if let friendships {
      let known = answers.compactMap { $0.info == nil ? nil : $0.target }
      let found = try await friendships.friendships(with: Array(Set(known)))
      answers = answers.map { answer in answer.with(answer.target.flatMap { found[$0]?.summary }) }
    }
    return try await answers.concurrentMap(atMost: Self.atOnce) { [graphs] answer in
      var found: [RelationshipAnswer] = []
      for (_, answers) in graphs {
        found.append(try await answers?.answer(like: answer, at: moment) ?? answer)
      }
      return found
    }.flatMap(\.self)
  }

  /// Says which follows are only requests, after the last answer.
  func reportRequests(_ note: (Note) -> Void) async {
    for (graph, answers) in graphs {
      if let requests = await answers?.requests, requests > 0 { note(.followsAwaitApproval(requests, graph)) }
    }
  }
}
