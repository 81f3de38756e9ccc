// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// The common setup of the pipeline tests: an actor, a clock and a service.
struct AnswerStage {
  let actor = Accounts.did(0)
  let clock = ManualClock()

  func service(
    _ source: ScriptedSource, lanes: Int = 8, verifies: Bool = false,
    policy: RelationshipCache.Policy = .init(), appview: ScriptedTransport = ScriptedTransport([]),
    linger: Duration = .seconds(1)
  ) throws -> FollowRelationshipService {
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: appview,
      configuration: XRPCClient.Configuration(retry: .never), time: clock.timeSource())
    return FollowRelationshipService(
      source: source, identities: IdentityDirectory(client: client), cachePolicy: policy,
      configuration: .init(
        concurrency: lanes, verification: verifies ? .all : .off, linger: linger, gatherWindow: .zero
      ),
      time: clock.gatheringTimeSource())
  }

  func collect(_ answers: RelationshipAnswers) async throws -> [RelationshipAnswer] {
    var all: [RelationshipAnswer] = []
    for try await answer in answers { all.append(answer) }
    return all
  }

  /// Lets another service answer questions, one after another, through all stages. By then everything that
  /// the first one was about to do has happened, so a test can check that it did nothing.
  func outlast() async throws {
    let other = try service(ScriptedSource(), linger: .zero)
    for target in Accounts.dids(90_000..<90_020) {
      let answers = try await collect(other.relationships(of: actor, with: [target]))
      try #require(answers.map { $0.info?.isFollowing } == [true])
    }
  }
}
