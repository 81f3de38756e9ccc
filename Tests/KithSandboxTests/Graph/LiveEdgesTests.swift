// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithSandbox

@Suite struct LiveEdgesTests {
  /// A record in a naive model: in the order in which the records were indexed.
  private struct Record: Hashable {
    let row: Int
    let column: Int
    let key: RecordKey
    let moment: Instant
  }

  /// Compared with a plain list of records, through random inserts and removals, on rows and columns within
  /// the table and beyond it.
  @Test(arguments: [1, 2, 3]) func agreeWithAPlainListOfRecords(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pairs = (0..<40).map { _ in UInt64(random.next(below: 6)) << 32 | UInt64(random.next(below: 8)) }
    let table = EdgeTable(rows: 6, columns: 8, pairs: pairs, salt: seed, period: 1_000)
    var edges = LiveEdges(table)
    var records = (0..<table.count).map { edge in
      Record(
        row: table.row(of: edge), column: table.column(of: edge), key: edges.key(of: edge),
        moment: Identities.moment(table.microseconds(of: edge)))
    }
    for step in 0..<300 {
      if random.next(below: 2) == 0, !records.isEmpty {
        let gone = records.remove(at: random.next(below: records.count))
        edges.remove(from: gone.row, to: gone.column, key: gone.key)
        edges.remove(from: gone.row, to: gone.column, key: gone.key)
      } else {
        // Half of the new ones claim to be as old as the table's.
        let moment = Identities.moment(UInt64(random.next(below: 2_000) * 1_000_000 + step))
        let record = Record(
          row: random.next(below: 8), column: random.next(below: 10),
          key: RecordKey(tid: TID(at: Instant(step), clockID: 1)), moment: moment)
        records.append(record)
        edges.insert(from: record.row, to: record.column, key: record.key, moment: record.moment)
      }
      if step.isMultiple(of: 10) { expect(edges, toShow: records) }
    }
  }

  private func expect(_ edges: LiveEdges, toShow records: [Record]) {
    for row in 0..<9 {
      for column in 0..<11 {
        let first = records.first { $0.row == row && $0.column == column }
        #expect(edges.edge(from: row, to: column).map(edges.key(of:)) == first?.key)
      }
    }
    let shown = records.filter { record in
      records.first { $0.row == record.row && $0.column == record.column } == record
    }.sorted { $0.moment > $1.moment }
    for row in 0..<9 {
      #expect(
        edges.edges(from: row).map { edges.key(of: Int($0)) } == shown.filter { $0.row == row }.map(\.key))
    }
    for column in 0..<11 {
      #expect(
        edges.edges(to: column).map { edges.key(of: Int($0)) }
          == shown.filter { $0.column == column }.map(\.key))
    }
  }
}
