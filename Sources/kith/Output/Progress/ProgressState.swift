// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations

/// The progress of a run and its text: pure state, without a clock or output.
struct ProgressState {
  /// The state of the calls.
  struct Traffic: Sendable, Equatable {
    /// Calls made so far.
    var calls = 0
    /// Calls left in the current window of the rate limit; nil if unknown.
    var callsLeft: Int?
    /// Why and how long calls are paused; nil if they are not.
    var hold: Hold?
  }

  /// The reason of a pause.
  enum Hold: Sendable, Equatable {
    /// The rate limit is exhausted.
    case rateLimit(Duration)
    /// A host has failed, and is tried again after this time.
    case failure(Duration, of: String)
  }

  /// The time over which the rate is measured: long enough to be steady, short enough to react to a slow
  /// server.
  private static let memory = Duration.seconds(10)
  /// The minimum time for a rate.
  private static let leastMemory = Duration.milliseconds(500)

  /// The participle for a row, such as `checked`.
  private(set) var verb: String
  /// The total number of rows; nil if unknown.
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

  /// Sets the number of rows so far.
  mutating func reach(_ count: Int) { self.count = count }

  /// Sets the progress of work that is counted elsewhere, with notes that replace the rate and the calls.
  ///
  /// - Parameters:
  ///   - verb: the participle for it, if it is not that of the rows.
  ///   - wait: what it is waiting for; nil if it is not.
  ///   - notes: most important first.
  mutating func report(
    _ count: Int, of total: Int?, as verb: String? = nil, wait: String?, notes: [String]
  ) {
    if let verb { self.verb = verb }
    (self.count, self.total, self.report) = (count, total, (wait, notes))
  }

  /// The line at a given time, cleaned for a terminal because it may contain text from a server. Parts that
  /// do not fit into the columns are left out, least important first.
  mutating func line(at now: Duration, _ traffic: Traffic, columns: Int) -> String {
    let rate = rate(at: now)
    let head = "\(count)" + (total.map { " of \(max($0, count))" } ?? "") + " \(verb)"
    if let report { return Self.fitted(head, report.wait, report.notes, columns) }
    var parts: [String] = []
    if traffic.hold == nil, let rate {
      parts.append(Self.text(rate))
      if rate > 0, let total, total > count {
        let remaining = (Double(total - count) / rate).rounded(.up)
        parts.append("ETA \(DurationText.span(.seconds(remaining)))")
      }
    }
    let left = traffic.callsLeft.map { " (\($0) left)" } ?? ""
    parts.append("\(traffic.calls) call\(traffic.calls == 1 ? "" : "s")\(left)")
    return Self.fitted(head, traffic.hold.map(Self.text), parts, columns)
  }

  /// Drops parts that do not fit. The wait is truncated rather than dropped: without it, a long wait looks
  /// like a hang.
  private static func fitted(_ head: String, _ wait: String?, _ remaining: [String], _ columns: Int) -> String
  {
    var parts = ([head, wait].compactMap(\.self) + remaining).map(TerminalText.clean)
    let least = wait == nil ? 1 : 2
    while parts.count > least, TerminalText.width(joined(parts)) > columns { parts.removeLast() }
    return TerminalText.truncated(joined(parts), to: columns)
  }

  /// Recent rows per second; nil until enough time has passed.
  private mutating func rate(at now: Duration) -> Double? {
    samples.append((now, count))
    // Keep the newest of the outdated samples, so the whole time span is covered.
    while samples.count > 1, samples[1].time <= now - Self.memory { samples.removeFirst() }
    let passed = now - samples[0].time
    guard passed >= Self.leastMemory else { return nil }
    return Double(count - samples[0].count) / (passed / .seconds(1))
  }

  private static func text(_ hold: Hold) -> String {
    switch hold {
    case .rateLimit(let wait): "waiting \(DurationText.span(wait)) for the rate limit"
    case .failure(let wait, let host): "waiting \(DurationText.span(wait)) for \(host) to recover"
    }
  }

  private static func text(_ rate: Double) -> String {
    rate >= 10 || rate == 0 ? "\(Int(rate.rounded()))/s" : "\((rate * 10).rounded() / 10)/s"
  }

  private static func joined(_ parts: [String]) -> String { parts.joined(separator: ", ") }
}
