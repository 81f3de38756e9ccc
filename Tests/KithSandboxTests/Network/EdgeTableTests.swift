// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithSandbox

@Suite struct EdgeTableTests {
  /// Asks the table and a plain set of pairs the same questions.
  @Test(arguments: [0, 1, 5, 40, 400]) func agreesWithASetOfPairs(pairCount: Int) {
    let (rows, columns) = (12, 9)
    var random = SplitMix64(seed: UInt64(pairCount))
    let pairs = (0..<pairCount).map { _ in
      UInt64(random.next(below: rows)) << 32 | UInt64(random.next(below: columns))
    }
    let table = EdgeTable(rows: rows, columns: columns, pairs: pairs, salt: 1, period: 1_000)
    let set = Set(pairs)

    #expect(table.count == set.count)
    for row in 0..<rows {
      for column in 0..<columns {
        let edge = table.edge(from: row, to: column)
        #expect((edge != nil) == set.contains(UInt64(row) << 32 | UInt64(column)))
        guard let edge else { continue }
        #expect(table.row(of: edge) == row)
        #expect(table.column(of: edge) == column)
        #expect(table.edges(from: row).contains(UInt32(edge)))
        #expect(table.edges(to: column).contains(UInt32(edge)))
      }
    }
    #expect((0..<rows).map { table.edges(from: $0).count }.reduce(0, +) == set.count)
    #expect((0..<columns).map { table.edges(to: $0).count }.reduce(0, +) == set.count)
  }

  @Test func listsTheNewestFirst() {
    let pairs = (0..<200).map { UInt64($0 / 20) << 32 | UInt64($0 % 20) }
    let table = EdgeTable(rows: 10, columns: 20, pairs: pairs, salt: 7, period: 100)
    func moments(_ edges: ArraySlice<UInt32>) -> [UInt64] { edges.map { table.microseconds(of: Int($0)) } }
    for row in 0..<10 {
      let moments = moments(table.edges(from: row))
      #expect(zip(moments, moments.dropFirst()).allSatisfy { $0 > $1 })
    }
    for column in 0..<20 {
      let moments = moments(table.edges(to: column))
      #expect(zip(moments, moments.dropFirst()).allSatisfy { $0 > $1 })
    }
  }
}
