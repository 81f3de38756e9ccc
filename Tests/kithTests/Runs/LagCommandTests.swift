// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

/// Checks right after a change, while the AppView lags behind.
@Suite struct LagCommandTests {
  private struct Row: Decodable {
    let following: String?
    let followedBy: String?
    let blocking: String?
    let source: String
  }

  private func alice() async throws -> SignedInRun {
    try await SignedInRun(writing: SandboxWriting(lag: .seconds(3_600)))
  }

  /// `CheckRelationshipsTests` has the other changes.
  @Test func theRowNamesTheRepositoryAndOtherSidesSeeItToo() async throws {
    let alice = try await alice()
    #expect(try await alice.kith("follow niaj.test").status == 0)
    #expect(try await alice.kith("block judy.test --yes").status == 0)
    let own = try await alice.kith("check me niaj.test judy.test bob.test").rows(Row.self)
    #expect(own.map(\.source) == ["repository", "repository", "appview"])
    #expect(own[0].following != nil && own[1].blocking != nil)
    #expect(try await alice.kith("check me niaj.test --is following").status == 0)
    let others = try await alice.kith("check niaj.test alice.test").rows(Row.self)
    #expect(others.map(\.source) == ["repository"])
    #expect(others[0].followedBy == own[0].following)
  }
}
