// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct OwnEdgesTests {
  private let subject = Accounts.did(1)

  /// A key with a number in it, in the order of the numbers.
  private func key(_ number: Int) throws -> RecordKey { try RecordKey(parsing: "k\(1_000_000 + number)") }

  private func follows(_ numbers: some Sequence<Int>) throws -> OwnEdges {
    var follows = OwnEdges(.follow)
    for number in numbers {
      follows.insert(
        KeptRecord(try key(number), PDSDouble.edge("app.bsky.graph.follow", subject), in: .follow),
        of: Accounts.did(0))
    }
    return follows
  }

  @Test func sortsTheRecordsOfASubjectByKey() throws {
    let follows = try follows([3, 1, 2, 1])
    #expect(try follows[subject].map(\.rkey) == [key(1), key(2), key(3)])
    #expect(follows.count == 3)
  }

  /// Comparing each record with all others of its subject would take minutes.
  @Test(.timeLimit(.minutes(1))) func takesThousandsOfRecordsOfOneSubject() throws {
    let follows = try follows((0..<50_000).reversed())
    #expect(follows[subject].count == 50_000)
    #expect(follows.count == 50_000)
  }
}
