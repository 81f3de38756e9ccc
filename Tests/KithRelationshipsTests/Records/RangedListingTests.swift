// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct RangedListingTests {
  typealias Listing = RangedListing<String>

  /// How a server lists keys.
  struct Server: Sendable, CustomTestStringConvertible {
    var isAscending = false
    var repeatsCursor = false
    /// Whether a page that is not full has a cursor.
    var alwaysHasCursor = true
    var namesCollection = false
    var testDescription: String {
      "\(isAscending ? "oldest" : "newest") first\(repeatsCursor ? ", inclusive" : "")"
        + "\(alwaysHasCursor ? ", cursor on each page" : "")\(namesCollection ? ", paths" : "")"
    }

    func page(of keys: [String], after cursor: String?) -> Listing.Page {
      let cursor = cursor.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
      let order = isAscending ? keys : keys.reversed()
      let rest = order.filter { key in
        cursor.map { key == $0 ? repeatsCursor : isAscending ? key > $0 : key < $0 } ?? true
      }
      let page = rest.prefix(RangedListingTests.pageSize)
      let hasCursor =
        page.count == RangedListingTests.pageSize || alwaysHasCursor && !page.isEmpty && !repeatsCursor
      let next = hasCursor ? page.last.map { namesCollection ? "app.bsky.graph.follow/\($0)" : $0 } : nil
      return Listing.Page(rows: page.map { (RecordKey($0), $0) }, cursor: next)
    }
  }

  static let pageSize = 10
  private static let now: Instant = 1_790_000_000_000_000
  private static let start: Instant = 1_700_000_000_000_000

  static let servers = [
    Server(), Server(alwaysHasCursor: false), Server(isAscending: true), Server(namesCollection: true),
    Server(isAscending: true, repeatsCursor: true, alwaysHasCursor: false, namesCollection: true),
  ]

  private func listing(lanes: Int = 16) -> Listing {
    Listing(of: .follow, lanes: lanes, limit: Self.pageSize, times: Self.start...Self.now)
  }

  /// Reads a listing; the pages arrive in a random order.
  private func read(
    _ listing: inout Listing, _ seed: UInt64 = 1, atOnce most: inout Int,
    _ page: (_ cursor: String?, _ isMadeUp: Bool) throws -> Listing.Page
  ) throws -> Int {
    var generator = SeededGenerator(seed: seed)
    var inFlight: [Listing.Request] = []
    var calls = 0
    while true {
      while let request = listing.next() { inFlight.append(request) }
      most = max(most, inFlight.count)
      guard !inFlight.isEmpty else { return calls }
      let request = inFlight.remove(at: Int.random(in: 0..<inFlight.count, using: &generator))
      calls += 1
      try listing.received(page(request.cursor, request.isMadeUp), for: request)
    }
  }

  /// Keys of records that were made at these times.
  private func keys(_ times: some Sequence<Instant>) -> [String] {
    Array(Set(times.map { TID(at: $0, clockID: 7).description })).sorted()
  }

  private func shapes(_ seed: UInt64) -> [[String]] {
    var generator = SeededGenerator(seed: seed)
    func random(_ count: Int, _ range: ClosedRange<Instant>) -> [Instant] {
      let numbers = range.lowerBound.microsecondsSinceEpoch...range.upperBound.microsecondsSinceEpoch
      return (0..<count).map { _ in Instant(Int64.random(in: numbers, using: &generator)) }
    }
    let year = Duration.days(365)
    return [
      [], keys([Self.start, Self.now]), keys(random(10, Self.start...Self.now)),
      keys(random(11, Self.start...Self.now)),
      keys(random(2_000, Self.start...Self.now)),
      // All on one day, years ago, with a few others.
      keys(
        random(1_000, Self.start + year...Self.start + year + .seconds(3_600))
          + random(9, Self.start...Self.now)),
      // In two bursts.
      keys(
        random(500, Self.start + year...Self.start + year + .seconds(1))
          + random(500, Self.now - .seconds(1_000)...Self.now)),
      // In the future, before the network, and no times at all.
      keys(
        random(300, Self.start...Self.now) + random(50, Self.now...Self.now + year) + random(50, 0...9_000)),
      (keys(random(200, Self.start...Self.now)) + (0..<40).map { "self-\($0)" }
        + (0..<40).map { "0\($0 + 10)" })
        .sorted(),
    ]
  }

  @Test(arguments: servers, CaseSample.of(1...6 as ClosedRange<UInt64>, one: 6))
  func readsEveryKeyOnce(server: Server, seed: UInt64) throws {
    for keys in shapes(seed) {
      var listing = listing()
      var most = 0
      let calls = try read(&listing, seed, atOnce: &most) { cursor, _ in server.page(of: keys, after: cursor)
      }
      #expect(listing.isComplete)
      #expect(listing.rows == (server.isAscending ? keys : keys.reversed()))
      #expect(most <= 16)
      // Never more than twice what one request after the other takes.
      #expect(calls <= 2 * (keys.count / (server.repeatsCursor ? 9 : 10) + 2) + 8)
    }
  }

  /// 100 pages take eight times the latency at best, with 1, 4, and then 16 at once. Keys come evenly, or in commits of
  /// two pages, over three years or over a minute.
  @Test(
    arguments: [(days: 1_000, burst: 1, most: 1_050), (30, 1, 1_050), (1, 1, 1_350), (0.001, 1, 1_350)]
      + [(1_000, 20, 1_500), (1, 20, 1_500), (0.001, 20, 1_500), (1_000, 7, 1_050)])
  func readsManyPagesAtOnce(shape: (days: Double, burst: Int64, most: Int)) throws {
    let width = Int64(shape.days * 86_400_000_000)
    let bursts = 1_000 / shape.burst
    let keys = keys(
      (0..<bursts).flatMap { burst in
        (0..<shape.burst).map { Self.now - width + burst * width / bursts + $0 * 10 }
      })
    var listing = listing()
    var (time, calls) = (0, 0)
    var generator = SeededGenerator(seed: 1)
    var inFlight: [(time: Int, request: Listing.Request)] = []
    repeat {
      while let request = listing.next() {
        calls += 1
        inFlight.append((time + Int.random(in: 100...105, using: &generator), request))
      }
      let first = try #require(inFlight.indices.min { inFlight[$0].time < inFlight[$1].time })
      let (now, request) = inFlight.remove(at: first)
      time = now
      try listing.received(Server().page(of: keys, after: request.cursor), for: request)
    } while !listing.isComplete
    #expect(time <= shape.most, "\(calls) calls")
    #expect(calls <= 160)
  }

  @Test func takesOnePageAfterTheOtherIfTheCursorIsNoKey() throws {
    let keys = keys((0..<30).map { Self.start + $0 })
    var listing = listing()
    var most = 0
    #expect(throws: Listing.Obstacle.opaqueCursors(next: "page2")) {
      _ = try read(&listing, atOnce: &most) { cursor, _ in
        var page = Server().page(of: keys, after: cursor)
        page.cursor = "page2"
        return page
      }
    }
    #expect(most == 1)
  }

  /// A server may look up the record that a cursor names: one that is made up then means anything.
  @Test(arguments: ["begins again", "ends", "skips a record", "is in disorder"])
  func noticesThatACursorThatIsMadeUpMeansSomethingElse(_ behavior: String) {
    let step = (Self.now - Self.start) / 400
    let keys = keys((0..<400).map { number -> Instant in Self.start + step * number })
    var listing = listing()
    var most = 0
    #expect(throws: Listing.Obstacle.self) {
      _ = try read(&listing, atOnce: &most) { cursor, isMadeUp in
        let page = Server().page(of: keys, after: cursor)
        guard isMadeUp else { return page }
        switch behavior {
        case "begins again": return Server().page(of: keys, after: nil)
        case "ends": return Listing.Page(rows: [], cursor: nil)
        case "skips a record": return Listing.Page(rows: Array(page.rows.dropFirst()), cursor: page.cursor)
        default: return Listing.Page(rows: page.rows.reversed(), cursor: page.cursor)
        }
      }
    }
  }

  @Test func refusesToPageForEver() {
    var listing = Listing(
      of: .follow, lanes: 4, limit: Self.pageSize, times: Self.start...Self.now, mostPages: 50)
    var most = 0
    var last = Self.now
    #expect(throws: Listing.Obstacle.self) {
      _ = try read(&listing, atOnce: &most) { _, _ in
        let keys = (0..<10).map { TID(at: last - .microseconds($0), clockID: 0).description }
        last -= .microseconds(10)
        return Listing.Page(rows: keys.map { (RecordKey($0), $0) }, cursor: keys.last)
      }
    }
  }

  /// The sequential listing then says how long it is; it is never sent back.
  @Test(arguments: [1, 2]) func sendsNoLongCursorBack(call: Int) {
    let keys = keys((0..<100).map { Self.now - $0 * 1_000_000_000 })
    var listing = listing(lanes: 1)
    var (most, calls) = (0, 0)
    #expect(throws: Listing.Obstacle.longCursor) {
      _ = try read(&listing, atOnce: &most) { cursor, _ in
        calls += 1
        var page = Server().page(of: keys, after: cursor)
        if calls == call { page.cursor = String(repeating: "a", count: PaginationGuard.longestCursor + 1) }
        return page
      }
    }
    #expect(calls == call)
  }
}
