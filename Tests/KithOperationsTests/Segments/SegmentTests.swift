// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// Segments of the followers of an account.
@Suite struct SegmentTests {
  @Test func aSegmentIsListedCountedAndUsed() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    let alice = try user.did("alice")
    func followers(where text: String) async throws -> [DID] {
      let segments = try await user.workspace().segments(namedIn: [text])
      let predicate = try AccountPredicate(
        checking: text, now: Datetime(at: user.network.time.instant), segments: segments)
      let listing = ListingQuery(.followers(of: .did(alice)), where: predicate)
      return try await user.run(ListAccounts(listing)).rows.map(\.view.account)
    }
    _ = try await user.run(AddSegment("loyal", "mutual"))
    _ = try await user.run(AddSegment("bigloyal", "segment loyal and followers > 20"))
    let mutual = try await followers(where: "mutual")
    #expect(try await followers(where: "segment loyal") == mutual && !mutual.isEmpty)
    let counted = try await user.run(CountSegments(of: alice)).rows
    #expect(counted.map(\.segment.name) == ["bigloyal", "loyal"])
    #expect(counted.last?.last?.value == mutual.count && counted.last?.before == nil)
    try await user.network.clock.sleep(for: .days(1))
    let again = try await user.run(CountSegments(of: alice, only: ["loyal"])).rows
    #expect(again.map(\.before?.value) == [mutual.count])
    #expect(try await user.figures([.segments]).count { $0.key == "loyal" } == 2)
    #expect(try await user.run(ListSegments(countsOf: alice)).rows.count == 2)
  }

  @Test func aSegmentInUseIsNotRemoved() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference))
    let alice = try user.did("alice")
    _ = try await user.run(AddSegment("loyal", "mutual"))
    _ = try await user.run(AddSegment("big", "segment loyal and followers > 20"))
    let codes = [
      await OperationError.thrown { try await user.run(RemoveSegments(["loyal"])) },
      await OperationError.thrown { try await user.run(RemoveSegments(["absent"])) },
      await OperationError.thrown { try await user.run(CountSegments(of: alice, only: ["absent"])) },
      await OperationError.thrown { try await user.run(AddSegment("loyal", "segment big")) },
    ].map { $0?.code }
    #expect(codes == [.segmentInUse, .noSuchSegment, .noSuchSegment, .invalidPredicate])
    _ = try await user.run(RemoveSegments(["loyal", "big"]))
    #expect(try await user.run(ListSegments()).rows.isEmpty)
  }
}
