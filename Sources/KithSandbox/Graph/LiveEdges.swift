// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The edges of one kind as an AppView has indexed them: those of the network's table, plus those of later
/// records, minus those whose records are gone.
///
/// Rows and columns without later records are read directly from the table. If several records exist for one
/// pair, the first one indexed is shown, and the next one after that is gone (Q16).
struct LiveEdges: Sendable {
  /// An index into the table, or, past its end, into the added edges.
  typealias Edge = Int

  /// An edge that is not in the table.
  private struct Added {
    let row: Int
    let column: Int
    let key: RecordKey
    /// Pages are ordered by it.
    let moment: Instant
    /// When its record was deleted; nil if it exists.
    var end: Instant?
  }

  let base: EdgeTable
  /// Edges of the table whose records are gone, and when they were deleted.
  private var removed: [Edge: Instant] = [:]
  private var added: [Added] = []
  /// Added edges that are hidden by another edge of the same pair.
  private var hidden: Set<Edge> = []
  /// All edges ever added to a column, in that order.
  private var arrivals: [Int: [Edge]] = [:]
  /// The added edges by row, column and pair, oldest first. A row or column with a removed table edge has an
  /// entry as well, which may be empty.
  private var addedFrom: [Int: [Edge]] = [:]
  private var addedTo: [Int: [Edge]] = [:]
  private var addedBetween: [UInt64: [Edge]] = [:]

  init(_ base: EdgeTable) { self.base = base }

  /// The visible edges of a row, newest first.
  func edges(from row: Int) -> ArraySlice<UInt32> {
    let table = row < base.rowCount ? base.edges(from: row) : []
    guard let added = addedFrom[row] else { return table }
    return merged(table, added)
  }

  /// The visible edges to a column, newest first.
  func edges(to column: Int) -> ArraySlice<UInt32> {
    let table = column < base.columnCount ? base.edges(to: column) : []
    guard let added = addedTo[column] else { return table }
    return merged(table, added)
  }

  /// The visible edge of a pair, or nil.
  func edge(from row: Int, to column: Int) -> Edge? {
    if let edge = tableEdge(from: row, to: column), removed.isEmpty || removed[edge] == nil { return edge }
    return addedBetween.isEmpty ? nil : addedBetween[Self.pair(row, column)]?.first
  }

  func row(of edge: Edge) -> Int { edge < base.count ? base.row(of: edge) : added[edge - base.count].row }

  func column(of edge: Edge) -> Int {
    edge < base.count ? base.column(of: edge) : added[edge - base.count].column
  }

  /// The key of the edge's record.
  func key(of edge: Edge) -> RecordKey {
    edge < base.count
      ? Identities.key(microseconds: base.microseconds(of: edge)) : added[edge - base.count].key
  }

  /// Adds the edge of a new record.
  mutating func insert(from row: Int, to column: Int, key: RecordKey, moment: Instant) {
    let edge = base.count + added.count
    added.append(Added(row: row, column: column, key: key, moment: moment))
    let (inRow, inColumn) = (place(of: edge, in: addedFrom[row]), place(of: edge, in: addedTo[column]))
    addedFrom[row, default: []].insert(edge, at: inRow)
    addedTo[column, default: []].insert(edge, at: inColumn)
    addedBetween[Self.pair(row, column), default: []].append(edge)
    arrivals[column, default: []].append(edge)
    if self.edge(from: row, to: column) != edge { hidden.insert(edge) }
  }

  /// Removes the edge of a deleted record; does nothing if the pair has no edge with that key.
  ///
  /// - Parameter moment: when the record was deleted.
  mutating func remove(from row: Int, to column: Int, key: RecordKey, at moment: Instant = .distantFuture) {
    // The next edge of the pair becomes visible.
    defer { if !hidden.isEmpty, let next = edge(from: row, to: column) { hidden.remove(next) } }
    if let edge = tableEdge(from: row, to: column), removed[edge] == nil, self.key(of: edge) == key {
      removed[edge] = moment
      addedFrom[row, default: []] += []
      addedTo[column, default: []] += []
      return
    }
    let pair = Self.pair(row, column)
    guard let edge = addedBetween[pair]?.first(where: { self.key(of: $0) == key }) else { return }
    addedBetween[pair]?.removeAll { $0 == edge }
    if addedBetween[pair]?.isEmpty == true { addedBetween[pair] = nil }
    let (inRow, inColumn) = (place(of: edge, in: addedFrom[row]), place(of: edge, in: addedTo[column]))
    addedFrom[row]?.remove(at: inRow)
    addedTo[column]?.remove(at: inColumn)
    added[edge - base.count].end = moment
    hidden.remove(edge)
  }

  /// Everyone who ever had an edge to a column, and when, in no meaningful order. The periods of a row do not
  /// overlap.
  func history(to column: Int) -> [(row: Int, moments: Range<Instant>)] {
    var history: [(row: Int, moments: Range<Instant>)] = []
    var ends: [Int: Instant] = [:]
    func add(_ row: Int, from start: Instant, to end: Instant?) {
      let start = ends.isEmpty ? start : max(start, ends[row] ?? start)
      if let end { ends[row] = end }
      let end = end ?? .distantFuture
      if start < end { history.append((row, start..<end)) }
    }
    for edge in column < base.columnCount ? base.edges(to: column) : [] {
      let edge = Int(edge)
      add(base.row(of: edge), from: moment(of: edge), to: removed.isEmpty ? nil : removed[edge])
    }
    for edge in arrivals[column] ?? [] where !hidden.contains(edge) {
      let edge = added[edge - base.count]
      add(edge.row, from: edge.moment, to: edge.end)
    }
    return history
  }

  private static func pair(_ row: Int, _ column: Int) -> UInt64 { UInt64(row) << 32 | UInt64(column) }

  private func tableEdge(from row: Int, to column: Int) -> Edge? {
    row < base.rowCount && column < base.columnCount ? base.edge(from: row, to: column) : nil
  }

  private func moment(of edge: Edge) -> Instant {
    edge < base.count
      ? Identities.moment(base.microseconds(of: edge)) : added[edge - base.count].moment
  }

  /// The index of an edge among others, oldest first.
  private func place(of edge: Edge, in edges: [Edge]?) -> Int {
    guard let edges else { return 0 }
    let age = (moment(of: edge), edge)
    var (low, high) = (0, edges.count)
    while low < high {
      let middle = low + (high - low) / 2
      if (moment(of: edges[middle]), edges[middle]) < age { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func merged(_ table: ArraySlice<UInt32>, _ added: [Edge]) -> ArraySlice<UInt32> {
    var merged: [UInt32] = []
    merged.reserveCapacity(table.count + added.count)
    var newer = added[...]
    for old in table {
      while let last = newer.last, self.added[last - base.count].moment >= moment(of: Int(old)) {
        newer.removeLast()
        if hidden.isEmpty || !hidden.contains(last) { merged.append(UInt32(last)) }
      }
      if removed[Int(old)] == nil { merged.append(old) }
    }
    for last in newer.reversed() where hidden.isEmpty || !hidden.contains(last) {
      merged.append(UInt32(last))
    }
    return merged[...]
  }
}
