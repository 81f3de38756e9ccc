// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore

/// How far a run has come, and the line that says so: pure state, told of rows and asked at moments.
struct ProgressState {
  /// What the calls behind the rows are at.
  struct Traffic: Sendable, Equatable {
    /// Calls made so far.
    var calls = 0
    /// Calls that the server still allows in its present window, where it says so.
    var callsLeft: Int?
    /// Why nothing is asked for now, and for how long.
    var hold: Hold?
  }

  /// What calls are held back for.
  enum Hold: Sendable, Equatable {
    /// The server allows no more in its present window.
    case rateLimit(Duration)
    /// The server failed, and is left alone for a while.
    case failure(Duration)
  }

  /// The rate is that of so much time past: long enough to be steady, short enough to follow a server that
  /// slows down.
  private static let memory = Duration.seconds(10)
  /// A rate of less time would be a guess.
  private static let leastMemory = Duration.milliseconds(500)

  /// What happens to each row: `checked`.
  let verb: String
  /// Rows to come in all; nil where nobody knows.
  var total: Int?
  private(set) var count = 0
  private var report: (wait: String?, notes: [String])?
  private var samples: [(time: Duration, count: Int)]

  init(verb: String, startedAt now: Duration) {
    self.verb = verb
    samples = [(now, 0)]
  }

  /// Counts a row.
  mutating func advance() { count += 1 }

  /// Takes over how many rows there were so far.
  mutating func reach(_ count: Int) { self.count = count }

  /// Takes over how far work has come that is counted elsewhere, with what else is to be said of it: that stands
  /// in place of the rate and of the calls.
  ///
  /// - Parameters:
  ///   - wait: what it waits for now, if it does.
  ///   - notes: the most important first.
  mutating func report(_ count: Int, of total: Int, wait: String?, notes: [String]) {
    (self.count, self.total, self.report) = (count, total, (wait, notes))
  }

  /// The line as it stands at a moment, fit for a terminal, for it may hold words of a server. What does not fit
  /// into the columns is left out, the least important first.
  mutating func line(at now: Duration, _ traffic: Traffic, columns: Int) -> String {
    let rate = rate(at: now)
    let head = "\(count)" + (total.map { " of \(max($0, count))" } ?? "") + " \(verb)"
    if let report { return Self.fitted(head, report.wait, report.notes, columns) }
    var parts: [String] = []
    if traffic.hold == nil, let rate {
      parts.append(Self.text(rate))
      if rate > 0, let total, total > count {
        let rest = (Double(total - count) / rate).rounded(.up)
        parts.append("ETA \(DurationText.span(.seconds(rest)))")
      }
    }
    let left = traffic.callsLeft.map { " (\($0) left)" } ?? ""
    parts.append("\(traffic.calls) call\(traffic.calls == 1 ? "" : "s")\(left)")
    return Self.fitted(head, traffic.hold.map(Self.text), parts, columns)
  }

  /// That the run waits is cut short rather than left out: without it a wait of minutes looks like a hang.
  private static func fitted(_ head: String, _ wait: String?, _ rest: [String], _ columns: Int) -> String {
    var parts = ([head, wait].compactMap(\.self) + rest).map(TerminalText.clean)
    let least = wait == nil ? 1 : 2
    while parts.count > least, TerminalText.width(joined(parts)) > columns { parts.removeLast() }
    return TerminalText.truncated(joined(parts), to: columns)
  }

  /// Rows a second lately; nil as long as too little time has passed.
  private mutating func rate(at now: Duration) -> Double? {
    samples.append((now, count))
    // The newest of those that are too old stays, so that the whole of the memory counts.
    while samples.count > 1, samples[1].time <= now - Self.memory { samples.removeFirst() }
    let passed = now - samples[0].time
    guard passed >= Self.leastMemory else { return nil }
    return Double(count - samples[0].count) / (passed / .seconds(1))
  }

  private static func text(_ hold: Hold) -> String {
    switch hold {
    case .rateLimit(let wait): "waiting \(DurationText.span(wait)) for the rate limit"
    case .failure(let wait): "waiting \(DurationText.span(wait)) for the server to recover"
    }
  }

  private static func text(_ rate: Double) -> String {
    rate >= 10 || rate == 0 ? "\(Int(rate.rounded()))/s" : "\((rate * 10).rounded() / 10)/s"
  }

  private static func joined(_ parts: [String]) -> String { parts.joined(separator: ", ") }
}
