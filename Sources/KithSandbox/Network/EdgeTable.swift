// SPDX-License-Identifier: Apache-2.0

/// All records of one kind that lead from a row to a column: follows, blocks, list members.
///
/// Compressed sparse rows with an index by column: a pair is found by binary search, and edges are read
/// newest first in either direction. 16 bytes per edge. An object, as the network is.
final class EdgeTable: Sendable {
  /// The index of an edge in row order, which identifies it within the table.
  typealias Edge = Int

  private let rowStarts: [UInt32]
  private let columns: [UInt32]
  private let columnStarts: [UInt32]
  /// The edges of each row, newest first; at the same positions as in `columns`.
  private let outgoing: [UInt32]
  /// The edges to each column, newest first.
  private let incoming: [UInt32]
  /// When each record was made, in seconds after the network's first record.
  private let ages: [UInt32]

  /// Builds the table from pairs (row in the high half, column in the low half), in any order; duplicates are
  /// removed.
  ///
  /// - Parameter period: the period in seconds within which all edges are created, at times that depend on
  ///   the salt.
  init(rows: Int, columns columnCount: Int, pairs unordered: consuming [UInt64], salt: UInt64, period: UInt32)
  {
    var pairs = unordered
    pairs.sort()
    var last: UInt64?
    pairs.removeAll { pair in
      defer { last = pair }
      return pair == last
    }

    columns = pairs.map { UInt32(truncatingIfNeeded: $0) }
    let ages = pairs.map { pair in
      UInt32(truncatingIfNeeded: SplitMix64.mix(pair ^ salt).multipliedFullWidth(by: UInt64(period)).high)
    }
    self.ages = ages
    rowStarts = EdgeTable.starts(of: pairs.lazy.map { Int($0 >> 32) }, count: rows)
    columnStarts = EdgeTable.starts(of: columns.lazy.map(Int.init), count: columnCount)

    var incoming = [UInt32](repeating: 0, count: pairs.count)
    var next = columnStarts
    for (edge, column) in columns.enumerated() {
      incoming[Int(next[Int(column)])] = UInt32(edge)
      next[Int(column)] += 1
    }
    var outgoing = [UInt32](0..<UInt32(pairs.count))
    EdgeTable.sortNewestFirst(&outgoing, within: rowStarts, by: ages)
    EdgeTable.sortNewestFirst(&incoming, within: columnStarts, by: ages)
    self.outgoing = outgoing
    self.incoming = incoming
  }

  var count: Int { columns.count }
  var rowCount: Int { rowStarts.count - 1 }
  var columnCount: Int { columnStarts.count - 1 }

  /// The edges of a row, newest first.
  func edges(from row: Int) -> ArraySlice<UInt32> {
    outgoing[Int(rowStarts[row])..<Int(rowStarts[row + 1])]
  }

  /// The edges to a column, newest first.
  func edges(to column: Int) -> ArraySlice<UInt32> {
    incoming[Int(columnStarts[column])..<Int(columnStarts[column + 1])]
  }

  /// The edge of a pair, or nil.
  func edge(from row: Int, to column: Int) -> Edge? {
    let wanted = UInt32(column)
    let end = Int(rowStarts[row + 1])
    let place = Self.partition(Int(rowStarts[row])..<end) { columns[$0] >= wanted }
    return place < end && columns[place] == wanted ? place : nil
  }

  /// The row of an edge.
  func row(of edge: Edge) -> Int {
    Self.partition(0..<rowStarts.count) { rowStarts[$0] > edge } - 1
  }

  /// The column of an edge.
  func column(of edge: Edge) -> Int { Int(columns[edge]) }

  /// Microseconds after the network's first record; unique among the edges of a row.
  func microseconds(of edge: Edge) -> UInt64 {
    UInt64(ages[edge]) * 1_000_000 + UInt64(edge % 1_000_000)
  }

  /// The first index for which the predicate is true, given that it is true from there on.
  private static func partition(_ range: Range<Int>, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private static func starts(of keys: some Sequence<Int>, count: Int) -> [UInt32] {
    var starts = [UInt32](repeating: 0, count: count + 1)
    for key in keys { starts[key + 1] += 1 }
    for key in 0..<count { starts[key + 1] += starts[key] }
    return starts
  }

  private static func sortNewestFirst(_ edges: inout [UInt32], within starts: [UInt32], by ages: [UInt32]) {
    for group in 0..<starts.count - 1 {
      edges[Int(starts[group])..<Int(starts[group + 1])].sort { left, right in
        (ages[Int(left)], left) > (ages[Int(right)], right)
      }
    }
  }
}
