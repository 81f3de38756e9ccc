// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct OwnListsTests {
  private let account = Accounts.did(0)

  private func list(_ number: Int, _ name: String?) throws -> OwnList {
    let value: DataValue = name.map { ["name": .string($0)] } ?? [:]
    return OwnList(uri: OwnList.uri(try RecordKey(parsing: "k\(number)"), of: account), value: value)
  }

  @Test func findsListsByTheirNameInTheOrderOfTheServer() throws {
    var lists = OwnLists()
    for (number, name) in [(1, "a"), (2, "b"), (3, "a"), (4, nil)] { lists.insert(try list(number, name)) }
    #expect(try lists.named("a") == [list(1, "a"), list(3, "a")])
    #expect(lists.named("").isEmpty && lists.named("c").isEmpty)
    // A list that is replaced keeps its place.
    lists.insert(try list(2, "a"))
    #expect(try lists.named("a") == [list(1, "a"), list(2, "a"), list(3, "a")] && lists.named("b").isEmpty)
    lists.insert(try list(1, nil))
    lists.insert(try list(4, "b"))
    #expect(try lists.named("a") == [list(2, "a"), list(3, "a")] && lists.named("b") == [list(4, "b")])
    #expect(lists.all.count == 4)
  }

  @Test func findsEachOfThousandsOfListsAtOnce() throws {
    let growth = try workGrowth(from: 2_000) { size in
      var lists = OwnLists()
      for number in 0..<size { lists.insert(try list(number, "list \(number)")) }
      for number in 0..<size { #expect(lists.named("list \(number)").count == 1) }
    }
    #expect(growth < 8)
  }
}
