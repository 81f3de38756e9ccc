// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithCurlTransport
import KithHistory
import KithRelationships
import KithStore

/// The processes that `compare-streams` measures and needs.
///
///     LiveBench serve                          a network, which makes events when it is told to
///     LiveBench prepare FOLDER URL DIDS SEQ    a history of the accounts that are watched, which begins after an event
///     LiveBench read URL COUNT [SEQ]           reads events
///     LiveBench follow FOLDER URL DIDS COUNT   reads events into that history
@main enum LiveBench {
  struct Fault: Error, CustomStringConvertible { let description: String }

  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "serve" where arguments.count == 1: try await EventServer().run()
    case "prepare" where arguments.count == 5:
      guard let sequence = Int64(arguments[4]) else { fallthrough }
      try await prepare(arguments[1], try url(arguments[2]), try watched(arguments[3]), after: sequence)
    case "read" where arguments.count == 3 || arguments.count == 4:
      guard let count = Int(arguments[2]) else { fallthrough }
      try await read(try url(arguments[1]), count, after: arguments.count == 4 ? Int64(arguments[3]) : nil)
    case "follow" where arguments.count == 5:
      guard let count = Int(arguments[4]) else { fallthrough }
      try await follow(arguments[1], try url(arguments[2]), try watched(arguments[3]), count)
    default:
      throw Fault(
        description:
          "usage: LiveBench serve | prepare FOLDER URL DIDS SEQ | read URL COUNT [SEQ] | follow FOLDER URL DIDS COUNT"
      )
    }
  }

  private static func url(_ text: String) throws -> ServiceURL { try ServiceURL(parsing: text) }

  /// The accounts that are watched, from a file.
  private static func watched(_ path: String) throws -> [HistoryListing] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .map { HistoryListing(.followers, of: try DID(parsing: $0)) }
  }

  /// A listing without a snapshot would be read first.
  private static func prepare(
    _ folder: String, _ host: ServiceURL, _ listings: [HistoryListing], after sequence: Int64
  ) async throws {
    let store = SQLiteHistoryStore(try StoreDatabase(folder: folder, .history))
    let now = TimeSource.system.instant
    let all = listings + listings.map { HistoryListing(.blocks, of: $0.actor) }
    var past = PastHistory()
    past.snapshots = all.map { PastHistory.Snapshot($0, at: now, counted: nil) }
    try await store.add(past)
    _ = try await store.follow(all, from: StreamCursor(host: host.authority, sequence: sequence, at: now))
  }

  private static func read(_ host: ServiceURL, _ count: Int, after sequence: Int64?) async throws {
    let stream = Jetstream(
      JetstreamFilter(collections: ["app.bsky.graph.block", "app.bsky.graph.follow"]), host: host,
      transport: CurlTransport())
    let start = sequence.map {
      StreamCursor(host: host.authority, sequence: $0, at: TimeSource.system.instant)
    }
    var elements = stream.elements(after: start).makeAsyncIterator()
    var found = 0
    while found < count {
      for element in try await elements.next(atMost: 1_000) {
        if case .event = element { found += 1 }
      }
    }
  }

  private static func follow(
    _ folder: String, _ host: ServiceURL, _ listings: [HistoryListing], _ count: Int
  ) async throws {
    struct Done: Error {}
    let transport = CurlTransport()
    let network = ServiceNetwork.sandbox(at: host, transport: transport)
    let client = network.client(of: host)
    let live = LiveHistory(
      Listings(client, identities: network.identities) { _ in client },
      store: try HistoryFile.open(in: folder), host: host, transport: transport)
    let left = Left(count)
    do {
      try await live.run(listings) { event in
        if case .observed(_, let events) = event, left.take(events) <= 0 { throw Done() }
        if case .gap(let gap) = event { throw Fault(description: "events are missing: \(gap)") }
      }
    } catch is Done {}
  }
}

/// How many events are still to come.
private final class Left: Sendable {
  private let count: PosixMutex<Int>

  init(_ count: Int) { self.count = PosixMutex(count) }

  func take(_ events: Int) -> Int {
    count.withLock { count in
      count -= events
      return count
    }
  }
}
