// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// What a host still allows: one ``RateLimitBucket`` for each limit that its responses report.
///
/// A server has a limit for all its calls and smaller ones for single methods (sign-ins, writes), and a
/// response reports the limit that is closest to exhaustion. So a limit, identified by its size and window,
/// only applies to the methods whose responses report it; the first call of a method goes unrestricted and
/// learns its limit. A refusal without a limit applies to all methods.
struct RateLimitBuckets: Sendable {
  private struct Entry: Sendable {
    let limit: Int?
    let window: Duration?
    var methods: [NSID?]
    var allowance = RateLimitBucket()

    func isLimit(of read: RateLimit) -> Bool { limit == read.limit && window == read.window }
  }

  /// The maximum number of limits. Real servers have fewer; one that reports more tries to fill memory.
  private static let mostLimits = 16

  private var general = RateLimitBucket()
  private var entries: [Entry] = []

  /// The most representative allowance: that of the limit which applies to most methods; of several, the
  /// largest.
  var main: RateLimitBucket {
    let widest = entries.max { ($0.methods.count, $0.limit ?? 0) < ($1.methods.count, $1.limit ?? 0) }
    return widest?.allowance ?? general
  }

  /// The number of known limits.
  var count: Int { entries.count }

  /// Whether no known limit affects later calls.
  func isIdle(at now: Duration) -> Bool {
    now >= general.blockedUntil
      && entries.allSatisfy { $0.allowance.remaining(at: now) == nil && now >= $0.allowance.blockedUntil }
  }

  /// Returns the time before which no further call of a method may go; nil if one may go now.
  ///
  /// - Parameter inFlight: Returns how many calls of a method are in flight.
  func hold(for method: NSID?, inFlight: (NSID?) -> Int, at now: Duration) -> Duration? {
    var latest = general.hold(inFlight: 0, at: now)
    for entry in entries where entry.methods.contains(method) {
      let underWay = entry.methods.reduce(0) { $0 + inFlight($1) }
      guard let hold = entry.allowance.hold(inFlight: underWay, at: now) else { continue }
      latest = max(latest ?? hold, hold)
    }
    return latest
  }

  /// Records a response to a method that is not a refusal.
  mutating func answered(_ read: RateLimit?, to method: NSID?, began: Duration, at now: Duration) {
    let told = read.flatMap { index(of: $0, toldTo: method, at: now) }
    general.answered(nil, began: began, at: now)
    for index in entries.indices where entries[index].methods.contains(method) {
      entries[index].allowance.answered(index == told ? read : nil, began: began, at: now)
    }
  }

  /// Records a 429: no call that the limit applies to may go before the time that it names.
  mutating func refused(_ read: RateLimit?, to method: NSID?, began: Duration, at now: Duration) {
    guard let read, let index = index(of: read, toldTo: method, at: now) else {
      return general.refused(read, began: began, at: now)
    }
    entries[index].allowance.refused(read, began: began, at: now)
  }

  /// Records an exchange without a response, which the server may have counted.
  mutating func spendOne(on method: NSID?) {
    for index in entries.indices where entries[index].methods.contains(method) {
      entries[index].allowance.spendOne()
    }
  }

  /// Returns the entry of the limit that a response reports; nil if it reports none.
  private mutating func index(of read: RateLimit, toldTo method: NSID?, at now: Duration) -> Int? {
    guard read.limit != nil || read.remaining != nil else { return nil }
    if let index = entries.firstIndex(where: { $0.isLimit(of: read) }) {
      if !entries[index].methods.contains(method) { entries[index].methods.append(method) }
      return index
    }
    if entries.count >= Self.mostLimits {
      entries.removeAll { $0.allowance.remaining(at: now) == nil && now >= $0.allowance.blockedUntil }
      if entries.count >= Self.mostLimits { entries.removeFirst() }
    }
    entries.append(Entry(limit: read.limit, window: read.window, methods: [method]))
    return entries.count - 1
  }
}
