// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Foundation
import TestSupport

@testable import Relationships

/// What the tests of the pump behind the answers begin with: who asks, by which clock, and a service.
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
        concurrency: lanes, verifiesExistence: verifies, linger: linger, gatherWindow: .zero),
      time: clock.timeSource())
  }

  func collect(_ answers: RelationshipAnswers) async throws -> [RelationshipAnswer] {
    var all: [RelationshipAnswer] = []
    for try await answer in answers { all.append(answer) }
    return all
  }

  /// Lets every other task go on for a while, to see that nothing more happens.
  func settle() async {
    for _ in 0..<2_000 { await Task.yield() }
  }

  /// Lets every other task and thread go on until something holds, however slow the machine is; without a clock.
  func settle(until condition: () -> Bool) async {
    for _ in 0..<2_000_000 {
      if condition() { return }
      sched_yield()
      await Task.yield()
    }
  }
}
