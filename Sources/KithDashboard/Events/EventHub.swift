// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations

/// Something that has happened, for the pages that are open.
struct DashboardEvent: Sendable, Hashable {
  /// What kind of event it is.
  enum Name: String, Sendable {
    /// The counts of an account; its data has their fields.
    case counts
    /// How far a job has come.
    case progress
    /// A job was made, changed or ended, here or by another process.
    case jobs
    /// An account has changed how it is related to another one, from a page.
    case relationship
    /// The history of an account has new entries.
    case history
    /// Events were missed: what is shown has to be loaded again.
    case reset
  }

  let name: Name
  /// In JSON.
  let data: String

  init(_ name: Name, _ fields: [OutputField] = []) {
    self.name = name
    var json: [UInt8] = []
    OutputValue.object(fields).appendJSON(to: &json)
    data = String(decoding: json, as: UTF8.self)
  }
}

/// Hands events to the pages that are open; one that connects again gets what it has missed.
///
/// Specification: HTML, section 9.2, server-sent events.
final class EventHub: Sendable {
  /// The number of an event in this run of the program: numbers of another run mean nothing.
  struct Number: Hashable, CustomStringConvertible {
    let run: String
    let count: Int

    init(run: String, count: Int) { (self.run, self.count) = (run, count) }

    init?(_ text: String) {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let count = Int(parts[1]) else { return nil }
      (run, self.count) = (String(parts[0]), count)
    }

    var description: String { "\(run)-\(count)" }
  }

  private struct State {
    /// The last events, oldest first, and the number of the last one.
    var kept: [DashboardEvent] = []
    var last = 0
    var readers: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextReader = 0
  }

  /// How many events are kept for pages that connect again.
  static let mostKept = 1_000
  /// A page connects again after so long.
  private static let retryMilliseconds = 2_000
  /// Something is sent so often, so that a browser that has gone is noticed.
  private static let beat = Duration.seconds(15)

  private let run: String
  private let time: TimeSource
  private let state = PosixMutex(State())

  /// - Parameter run: tells this run of the program from others.
  init(run: String, time: TimeSource) { (self.run, self.time) = (run, time) }

  /// How many pages are connected.
  var readers: Int { state.withLock(\.readers.count) }

  /// Tells all pages.
  func publish(_ event: DashboardEvent) {
    state.withLock { state in
      state.kept.append(event)
      if state.kept.count > Self.mostKept { state.kept.removeFirst(state.kept.count - Self.mostKept) }
      state.last += 1
      for reader in state.readers.values { reader.yield() }
    }
  }

  /// Writes events until the page leaves.
  ///
  /// - Parameter last: the last event that it has seen, as it was numbered; nil for one that has seen none.
  func stream(after last: String?, to write: @Sendable ([UInt8]) async throws -> Void) async throws {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (number, begin) = state.withLock { state in
      state.nextReader += 1
      state.readers[state.nextReader] = signal
      return (state.nextReader, state.last)
    }
    defer { state.withLock { $0.readers[number] = nil } }
    var seen = begin
    var text = "retry: \(Self.retryMilliseconds)\n\n"
    if let last {
      let known = Number(last)
      if let known, known.run == run, known.count <= begin {
        seen = known.count
      } else {
        text += message(DashboardEvent(.reset), begin)
      }
    }
    try await write(Array(text.utf8))
    let beats = Task { [time] in
      while true {
        try await time.sleep(for: Self.beat)
        signal.yield()
      }
    }
    defer { beats.cancel() }
    signal.yield()
    for await _ in signals {
      let (events, last) = missed(after: seen)
      var text = ""
      for (offset, event) in events.enumerated() { text += message(event, last - events.count + 1 + offset) }
      seen = last
      try await write(Array((text.isEmpty ? ":\n\n" : text).utf8))
    }
  }

  /// What came after an event. A reader that is too slow for what is kept is told so.
  private func missed(after seen: Int) -> (events: [DashboardEvent], last: Int) {
    state.withLock { state in
      let count = state.last - seen
      if count > state.kept.count { return ([DashboardEvent(.reset)], state.last) }
      return (Array(state.kept.suffix(count)), state.last)
    }
  }

  private func message(_ event: DashboardEvent, _ count: Int) -> String {
    "id: \(Number(run: run, count: count))\nevent: \(event.name.rawValue)\ndata: \(event.data)\n\n"
  }
}
