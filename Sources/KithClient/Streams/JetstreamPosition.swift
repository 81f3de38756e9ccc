// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Where a subscription is, and where its next connection begins. A plain state machine without I/O.
///
/// A host numbers its events, and takes a number that it has not given yet for "now": after it was built again, everything in
/// between would be lost without a word. So the first event after a resume has to be the last one before it, which the host
/// repeats; if it is not, the time decides.
package struct JetstreamPosition {
  /// Where a connection begins.
  package enum Start: Hashable {
    case now
    /// At an event, which comes again.
    case sequence(Int64)
    case time(Instant)
  }

  /// What to do with an event.
  package enum Verdict: Hashable {
    /// It is new; before it, events may be missing.
    case take(JetstreamEvent, after: StreamGap?)
    /// It was taken before.
    case drop
    /// The connection does not continue where it should: make another one.
    case reconnect
  }

  /// How much earlier a connection begins that continues by time: the clocks of two hosts differ.
  static let margin = Duration.seconds(60)
  /// How much later than the last event the first one may be, after which events must be missing.
  static let tolerance = Duration.seconds(120)

  let host: String
  /// The last event that was taken.
  package private(set) var cursor: StreamCursor?
  /// Its time as the host told it; the one in the cursor is not later than the local time.
  private var toldAt: Instant?
  private var start = Start.now
  private var isFirst = true
  private var isByTime = false
  /// Why events may be missing before the next one.
  private var missing: StreamGap.Reason?

  /// - Parameter cursor: where another subscription ended, at this host or at another one; nil to begin with what happens
  ///   now.
  package init(host: String, after cursor: StreamCursor?) {
    (self.host, self.cursor, toldAt) = (host, cursor, cursor?.at)
  }

  /// Begins a connection, and returns where.
  package mutating func connect() -> Start {
    isFirst = true
    guard let cursor else { return begin(.now) }
    guard cursor.host == host, let sequence = cursor.sequence, !isByTime else {
      return begin(.time(cursor.at - Self.margin))
    }
    return begin(.sequence(sequence))
  }

  private mutating func begin(_ start: Start) -> Start {
    self.start = start
    return start
  }

  /// Notes that events are missing before the next one, if there was one before.
  mutating func miss(_ reason: StreamGap.Reason) {
    if missing == nil, cursor != nil { missing = reason }
  }

  /// Continues by time from the next connection on, until an event arrives.
  mutating func continueByTime() { isByTime = true }

  /// Judges an event.
  ///
  /// - Parameter now: the local time; a host may claim any.
  package mutating func receive(_ event: JetstreamEvent, at now: Instant) -> Verdict {
    let last = cursor
    if isFirst {
      isFirst = false
      if let toldAt, missing == nil {
        switch start {
        case .now: break
        case .sequence(let sequence):
          // An event after the last one, if that was removed meanwhile. Another instance may have given the number again, too.
          guard event.cursor.sequence.map({ $0 >= sequence }) == true, event.at <= toldAt + Self.tolerance
          else {
            isByTime = true
            return .reconnect
          }
        case .time:
          if event.at > toldAt + Self.tolerance { missing = .otherPlace }
        }
      }
      isByTime = false
    }
    if case .sequence = start, let seen = event.cursor.sequence, let last, last.host == host,
      let before = last.sequence, seen <= before
    {
      return .drop
    }
    let at = min(event.at, now)
    let taken = JetstreamEvent(
      event.kind, of: event.did, cursor: StreamCursor(host: host, sequence: event.cursor.sequence, at: at))
    (cursor, toldAt) = (taken.cursor, event.at)
    guard let reason = missing.take(), let last else { return .take(taken, after: nil) }
    return .take(taken, after: StreamGap(since: min(last.at, at), until: at, reason))
  }
}
