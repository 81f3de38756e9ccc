// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What a host still allows: one ``Allowance`` for each limit that its answers told of.
///
/// A server has a limit for all its calls and smaller ones of single methods (sign-ins, writes), and an answer
/// tells of that one which is nearest to its end. So a limit, told apart by its size and its window, binds
/// those methods only whose answers told of it: a method that was never asked goes once, and learns its own.
/// What a refusal says without naming a limit binds all.
struct HostAllowances: Sendable {
  private struct Entry: Sendable {
    let limit: Int?
    let window: Duration?
    var methods: [NSID?]
    var allowance = Allowance()

    func isLimit(of read: RateLimit) -> Bool { limit == read.limit && window == read.window }
  }

  /// No server has as many limits; one that tells of more does so to fill our memory.
  private static let mostLimits = 16

  private var general = Allowance()
  private var entries: [Entry] = []

  /// The allowance that tells most of the host: that of the limit which binds most methods, and of several the
  /// largest.
  var main: Allowance {
    let widest = entries.max { ($0.methods.count, $0.limit ?? 0) < ($1.methods.count, $1.limit ?? 0) }
    return widest?.allowance ?? general
  }

  /// The limits that are known.
  var count: Int { entries.count }

  /// Whether nothing is known that a later call should heed.
  func isIdle(at now: Duration) -> Bool {
    now >= general.blockedUntil
      && entries.allSatisfy { $0.allowance.remaining(at: now) == nil && now >= $0.allowance.blockedUntil }
  }

  /// The time before which no further call of a method may go, nil when one may go now.
  ///
  /// - Parameter inFlight: how many calls of a method are under way.
  func hold(for method: NSID?, inFlight: (NSID?) -> Int, at now: Duration) -> Duration? {
    var latest = general.hold(inFlight: 0, at: now)
    for entry in entries where entry.methods.contains(method) {
      let underWay = entry.methods.reduce(0) { $0 + inFlight($1) }
      guard let hold = entry.allowance.hold(inFlight: underWay, at: now) else { continue }
      latest = max(latest ?? hold, hold)
    }
    return latest
  }

  /// An answer to a method came that is no refusal.
  mutating func answered(_ read: RateLimit?, to method: NSID?, began: Duration, at now: Duration) {
    let told = read.flatMap { index(of: $0, toldTo: method, at: now) }
    general.answered(nil, began: began, at: now)
    for index in entries.indices where entries[index].methods.contains(method) {
      entries[index].allowance.answered(index == told ? read : nil, began: began, at: now)
    }
  }

  /// A 429 came; nobody whom the limit binds goes before the time that it names.
  mutating func refused(_ read: RateLimit?, to method: NSID?, began: Duration, at now: Duration) {
    guard let read, let index = index(of: read, toldTo: method, at: now) else {
      return general.refused(read, began: began, at: now)
    }
    entries[index].allowance.refused(read, began: began, at: now)
  }

  /// An exchange ended without an answer: the server may have counted it.
  mutating func spendOne(on method: NSID?) {
    for index in entries.indices where entries[index].methods.contains(method) {
      entries[index].allowance.spendOne()
    }
  }

  /// The entry of the limit that an answer tells of; nil where it names none.
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
