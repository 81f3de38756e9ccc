// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import KithCore

/// The rate limit that a server reports.
///
/// Read from `RateLimit-Limit`, `-Remaining`, `-Reset` and `-Policy` and from `Retry-After`, as the reference
/// servers send them: Reset is a time in epoch seconds, not a number of seconds (Q25).
package struct RateLimit: Sendable, Hashable {
  /// The requests allowed per window.
  package var limit: Int?
  /// The requests left in the current window.
  package var remaining: Int?
  /// The length of the window, from the policy (`3000;w=300`).
  package var window: Duration?
  /// How long until the window resets, from the time of reading.
  package var untilReset: Duration?
  /// How long the server asks to wait; sent only with a 429 or 503.
  package var retryAfter: Duration?

  /// The maximum wait. No server's window is longer; larger values are hostile or mistakes, and are clamped.
  package static let longestWait = Duration.seconds(86_400)

  /// Creates an empty value.
  init() {}

  /// Parses the header fields of a response; nil if it has none of them.
  ///
  /// - Parameter now: The current time, for converting the reset time into a wait.
  package init?(_ fields: HTTPFields, at now: Instant) {
    limit = fields[.rateLimitLimit].flatMap(Self.count)
    remaining = fields[.rateLimitRemaining].flatMap(Self.count)
    window = fields[.rateLimitPolicy].flatMap(Self.window)
    // Prefers the server's clock to the local one, which may be wrong: the reset time is the server's.
    let now = fields[.date].flatMap(Self.date) ?? Instant(secondsSinceEpoch: now.secondsSinceEpoch)
    untilReset = fields[.rateLimitReset].flatMap(Self.count).flatMap {
      Self.wait(forReset: Int64($0), from: now)
    }
    retryAfter = fields[.retryAfter].flatMap { text in
      Self.count(text).map { min(.seconds($0), Self.longestWait) }
        ?? Self.date(text).map { Self.wait(until: $0, from: now) }
    }
    if limit == nil, remaining == nil, window == nil, untilReset == nil, retryAfter == nil { return nil }
  }

  /// Parses the caller's own allowance; nil for a response from a shared cache (`Age`), which reports that of
  /// another client. Fast if there is no such field.
  init?(ofCaller fields: HTTPFields, at now: Instant) {
    var isThere = false
    for field in fields {
      let name = field.name.canonicalName
      if name == "age", field.value != "0" { return nil }
      if name == "retry-after" || name.hasPrefix("ratelimit-") { isThere = true }
    }
    guard isThere else { return nil }
    self.init(fields, at: now)
  }

  /// How long to wait after a refusal: what the server asks for, or else until its window resets.
  package var waitAfterRefusal: Duration? { retryAfter ?? untilReset }

  private static func wait(until moment: Instant, from now: Instant) -> Duration {
    min(max(.zero, moment - now), longestWait)
  }

  /// How long until a reset time; nil if no window can end then.
  ///
  /// It is in seconds since 1970, but some servers send milliseconds. A time is only believed if it is past,
  /// or less than two days ahead: a day, and what clocks may differ by.
  private static func wait(forReset time: Int64, from now: Instant) -> Duration? {
    // In seconds, this is the year 5138; in milliseconds, 1973.
    let reset = Instant(secondsSinceEpoch: time < 100_000_000_000 ? time : time / 1_000)
    return reset <= now + longestWait * 2 ? wait(until: reset, from: now) : nil
  }

  private static func count(_ text: String) -> Int? {
    guard text.utf8.count <= 18, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
    else { return nil }
    return Int(text)
  }

  /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, the only date format that may be sent (RFC 9110, 5.6.7).
  static func date(_ text: String) -> Instant? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: parts[2]) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Datetime("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")?.instant
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func window(_ policy: String) -> Duration? {
    for part in policy.split(separator: ";") {
      let trimmed = part.drop { $0 == " " }
      if trimmed.hasPrefix("w="), let seconds = count(String(trimmed.dropFirst(2))) {
        return min(.seconds(seconds), longestWait)
      }
    }
    return nil
  }
}
