// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KithCore

/// Reads a collection in ranges of its keys at the same time, if the cursors of the server are keys.
///
/// It performs no I/O itself: ``next()`` names a page to request, and ``received(_:for:)`` takes it. The first page
/// shows whether its cursor is the key of its last record. If so, a range starts after a key that is made up, and
/// ends where the next range starts. Each range reads on until it has seen the record that follows its end, which
/// has to be the first one that the next range has received: so nothing between two ranges is missed, whatever the
/// server makes of a cursor that it did not send.
///
/// Ranges are split where the most records are expected. There are never more requests at once than three for each page
/// that had records, plus one, and hardly more than twice as many in all as with one request after the other.
struct RangedListing<Row: Sendable>: Sendable {
  /// A page as received.
  struct Page: Sendable {
    /// The records in the order of the server, each with its key; nil if it has none.
    var rows: [(key: RecordKey?, row: Row)]
    /// The cursor of the next page.
    var cursor: String?
  }

  /// A page to request.
  struct Request: Sendable, Hashable {
    fileprivate let range: Int
    /// The cursor to send; nil for the beginning of the listing.
    let cursor: String?
    /// Whether the cursor was not sent by the server.
    let isMadeUp: Bool
  }

  /// Why the collection has to be read page by page.
  enum Obstacle: Error, Sendable, Hashable {
    /// The cursor of the first page is not a key. The rows so far are valid.
    case opaqueCursors(next: String)
    /// The server does not list the keys after a given one in order.
    case unorderedKeys
    /// Two ranges do not fit together.
    case gap
    /// More pages than any collection has.
    case endless
    /// A cursor that is too long to be sent back.
    case longCursor
  }

  /// The requests that may be made in vain before a collection turns out to be short.
  private static var mostInVain: Int { 4 }

  /// The ranges, in the order of the listing.
  private var ranges: [KeyRange<Row>] = [KeyRange(id: 0, start: nil)]
  private var order: KeyOrder?
  /// Makes a cursor from a key, in the form that this server uses.
  private var cursorPrefix = ""
  private var fullPages = 0
  private var calls = 0
  private var ids = 0
  private let collection: NSID
  private let lanes: Int
  private let limit: Int
  private let mostPages: Int
  /// The keys between which records are expected, as numbers.
  private let span: ClosedRange<UInt64>

  /// - Parameters:
  ///   - lanes: the most requests at once.
  ///   - limit: the most records of a page.
  ///   - times: between which times keys are expected; others are read as well.
  init(
    of collection: NSID, lanes: Int, limit: Int = RecordReader.pageSize, times: ClosedRange<Instant>,
    mostPages: Int = PaginationGuard.mostPagesOfEdges
  ) {
    self.collection = collection
    self.lanes = lanes
    self.limit = limit
    self.mostPages = mostPages
    span =
      TID(at: times.lowerBound, clockID: 0)
      .bits...TID(at: times.upperBound, clockID: 0).bits
  }

  /// The rows that were read, in the order of the server.
  var rows: [Row] { ranges.flatMap { $0.rows } }

  /// What stands before a key in a cursor, if the server lists the oldest key first; nil otherwise, or if there was one
  /// page.
  var prefixOfAscendingCursors: String? { order == .ascending ? cursorPrefix : nil }

  /// Whether everything has been read.
  var isComplete: Bool { ranges.allSatisfy { $0.isComplete } }

  /// Returns a page to request now; nil if all that may be requested at once is on its way.
  mutating func next() -> Request? {
    let inFlight = ranges.count { $0.isInFlight }
    guard inFlight < min(lanes, 3 * fullPages + 1) else { return nil }
    if let index = ranges.firstIndex(where: { !$0.isInFlight && !$0.isComplete }) { return request(index) }
    return isWorthAProbe ? split().map { request($0) } : nil
  }

  /// Whether there have been few requests for the number of records: a range that is split in vain costs a call.
  private var isWorthAProbe: Bool {
    calls < 2 * ranges.reduce(0) { $0 + $1.rows.count } / limit + Self.mostInVain
  }

  private mutating func request(_ index: Int) -> Request {
    calls += 1
    ranges[index].isInFlight = true
    let range = ranges[index]
    if let cursor = range.cursor { return Request(range: range.id, cursor: cursor, isMadeUp: false) }
    return Request(
      range: range.id, cursor: range.start.map { cursorPrefix + $0 }, isMadeUp: range.start != nil)
  }

  /// Takes a page that was requested.
  ///
  /// - Throws: ``Obstacle`` if the collection has to be read page by page.
  mutating func received(_ page: Page, for request: Request) throws(Obstacle) {
    guard let index = ranges.firstIndex(where: { $0.id == request.range }) else { return }
    ranges[index].isInFlight = false
    guard page.cursor.map({ $0.utf8.count <= PaginationGuard.longestCursor }) ?? true else {
      throw .longCursor
    }
    if request.cursor == nil, let cursor = page.cursor, !page.rows.isEmpty {
      try learn(from: page, cursor)
    }
    let end = index + 1 < ranges.count ? ranges[index + 1].start : nil
    let keys = page.rows.compactMap(\.key?.description)
    guard keys.count == page.rows.count || ranges.count == 1 && page.cursor == nil else {
      throw .unorderedKeys
    }
    if try ranges[index].add(page, keys, until: end, in: order, limit) {
      fullPages += 1
      guard fullPages <= mostPages else { throw .endless }
    }
    if isComplete { try checkJoints() }
  }

  /// Learns from the first page how the server sorts and what its cursors are.
  private mutating func learn(from page: Page, _ cursor: String) throws(Obstacle) {
    let keys = page.rows.compactMap(\.key?.description)
    guard keys.count == page.rows.count, let last = keys.last, let order = KeyOrder(of: keys) else {
      throw .opaqueCursors(next: cursor)
    }
    guard let prefix = KeyCursor.prefix(of: cursor, at: last, in: collection) else {
      throw .opaqueCursors(next: cursor)
    }
    cursorPrefix = prefix
    self.order = order
  }

  /// Splits the range in which the most records are expected.
  ///
  /// A range of which no page has arrived is taken to be as dense as the one before it.
  ///
  /// - Returns: the new range; nil if none is worth it.
  private mutating func split() -> Int? {
    guard let order else { return nil }
    var density: KeyDensity?
    var best: (index: Int, split: KeyDensity.Split)?
    // Where a range ends with the listing, nothing follows.
    let end = ranges.firstIndex { $0.isComplete && $0.follower == nil } ?? ranges.endIndex
    for index in ranges.indices.prefix(upTo: end) {
      density = ranges[index].density ?? density
      let next =
        index + 1 < ranges.count ? ranges[index + 1].start.flatMap { TID($0)?.bits } : order.end(of: span)
      guard !ranges[index].isComplete, let density, let next, let here = ranges[index].position else {
        continue
      }
      let width = order == .ascending ? next.saturatingMinus(here) : here.saturatingMinus(next)
      let split = density.split(width, from: here, inFlight: ranges[index].isInFlight)
      if let split, split.pages > best?.split.pages ?? 1 { best = (index, split) }
    }
    guard let best, let here = ranges[best.index].position else { return nil }
    ids += 1
    let start = order == .ascending ? here + best.split.distance : here - best.split.distance
    ranges.insert(KeyRange(id: ids, start: TID(bits: start).description), at: best.index + 1)
    return best.index + 1
  }

  /// Checks that each range ends with the record with which the next one begins.
  private func checkJoints() throws(Obstacle) {
    for (range, next) in zip(ranges, ranges.dropFirst()) where range.follower != next.first { throw .gap }
  }
}

/// Cursors that are keys, with or without their collection.
enum KeyCursor {
  /// What stands before the key of the last record of a page; nil if the cursor is something else.
  static func prefix(of cursor: String, at key: String, in collection: NSID) -> String? {
    switch cursor {
    case key: ""
    case "\(collection)/\(key)": "\(collection)/"
    default: nil
    }
  }
}

/// The order in which a server lists keys.
private enum KeyOrder: Sendable {
  case ascending, descending

  /// - Returns: nil if the keys are in neither order, or too few to tell.
  init?(of keys: [String]) {
    let pairs = zip(keys, keys.dropFirst())
    guard keys.count > 1 else { return nil }
    if pairs.allSatisfy({ $0 > $1 }) {
      self = .descending
    } else if pairs.allSatisfy({ $0 < $1 }) {
      self = .ascending
    } else {
      return nil
    }
  }

  /// Whether one key comes after another in the listing.
  func isAfter(_ key: String, _ other: String) -> Bool { self == .ascending ? key > other : key < other }

  /// Where keys are expected to end.
  func end(of span: ClosedRange<UInt64>) -> UInt64 { self == .ascending ? span.upperBound : span.lowerBound }
}

/// One range of keys: what comes after its start, up to the start of the next range.
private struct KeyRange<Row: Sendable>: Sendable {
  let id: Int
  /// The key after which it begins; nil for the beginning of the listing.
  let start: String?
  var isInFlight = false
  private(set) var isComplete = false
  /// The cursor of its next page, as the server sent it.
  private(set) var cursor: String?
  private(set) var rows: [Row] = []
  /// The first key that was received, in the range or after it.
  private(set) var first: String?
  /// The first key after the range; nil if the listing ends with the range.
  private(set) var follower: String?
  /// The last key in the range.
  private var last: String?
  /// Where the range begins, if known, and where its latest pages end.
  private var pageEnds: [UInt64] = []

  init(id: Int, start: String?) {
    self.id = id
    self.start = start
    pageEnds = start.flatMap { TID($0)?.bits }.map { [$0] } ?? []
  }

  /// How close its keys are; nil if no page has arrived, or the last one was not full.
  var density: KeyDensity? {
    guard pageEnds.count > 1, last != nil, let first = pageEnds.first, let end = pageEnds.last, first != end
    else { return nil }
    return KeyDensity(pages: pageEnds.count - 1, from: first, to: end)
  }

  /// Where its next page begins, if known.
  var position: UInt64? { (last ?? start).flatMap { TID($0)?.bits } }

  /// Takes a page.
  ///
  /// - Returns: whether it had anything new.
  mutating func add(
    _ page: RangedListing<Row>.Page, _ keys: [String], until end: String?, in order: KeyOrder?, _ limit: Int
  ) throws(RangedListing<Row>.Obstacle) -> Bool {
    guard let order else {
      // A single page, in whatever order.
      rows += page.rows.map(\.row)
      isComplete = page.cursor == nil || page.rows.isEmpty
      if !isComplete { throw .unorderedKeys }
      return !page.rows.isEmpty
    }
    var (new, previous) = (0, last ?? start)
    for (key, row) in zip(keys, page.rows) {
      // Some servers repeat the record that a cursor names (table of PDSes).
      if new == 0, key == previous { continue }
      guard previous.map({ order.isAfter(key, $0) }) ?? true else { throw .unorderedKeys }
      previous = key
      new += 1
      first = first ?? key
      if let end, order.isAfter(key, end) {
        follower = key
        isComplete = true
        break
      }
      rows.append(row.row)
      last = key
    }
    // A page that is not full is hardly followed by another one.
    if 2 * keys.count >= limit { measure(from: first) } else { pageEnds = [] }
    if page.cursor == nil || page.rows.isEmpty { isComplete = true }
    guard isComplete || new > 0 else { throw .unorderedKeys }
    cursor = page.cursor
    return new > 0
  }

  private mutating func measure(from first: String?) {
    if pageEnds.isEmpty, let first = first.flatMap({ TID($0)?.bits }) { pageEnds = [first] }
    if let end = last.flatMap({ TID($0)?.bits }) { pageEnds.append(end) }
    pageEnds = pageEnds.suffix(4)
  }
}

/// How far apart the keys of a page are, and where that was measured.
private struct KeyDensity: Sendable {
  /// Where to split a range.
  struct Split: Sendable {
    /// How many pages are expected in it, besides the one on its way.
    let pages: Double
    /// How far from the beginning of what is left.
    let distance: UInt64
  }

  /// Accounts with more pages are rare.
  private static let mostLikelyPages = 128.0
  /// The keys of one commit are microseconds apart, but commits are not: 50 milliseconds.
  private static let leastPageWidth: UInt64 = 50_000 << 10

  let pageWidth: UInt64
  let measuredAt: UInt64

  init(pages: Int, from start: UInt64, to end: UInt64) {
    pageWidth = max(Self.leastPageWidth, start.distance(from: end) / UInt64(pages))
    measuredAt = end
  }

  /// Splits what is left of a range.
  ///
  /// Keys are not as close everywhere as in the busiest minute of an account. Where there would be more pages than
  /// accounts have, nothing is known about the scale: the split is at the geometric mean of the distances from where
  /// the density was measured, and the pages expected grow with their logarithm.
  ///
  /// - Parameters:
  ///   - width: how much is left, from a key.
  ///   - inFlight: whether its next page is on its way.
  func split(_ width: UInt64, from key: UInt64, inFlight: Bool) -> Split? {
    let sure = inFlight ? pageWidth : 0
    guard width > sure else { return nil }
    let split = Split(pages: Double((width - sure) / pageWidth), distance: sure + (width - sure) / 2)
    guard split.pages > Self.mostLikelyPages else { return split }
    let passed = key.distance(from: measuredAt)
    let (near, far) = (Double(passed + max(sure, pageWidth)), Double(passed + width))
    let mean = UInt64((near * far).squareRoot()).saturatingMinus(passed)
    return Split(pages: 4 * log2(far / near), distance: max(sure, min(mean, split.distance)))
  }
}

extension UInt64 {
  fileprivate func saturatingMinus(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }

  fileprivate func distance(from other: UInt64) -> UInt64 { self > other ? self - other : other - self }
}
