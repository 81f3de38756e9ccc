// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
public import HTTPTypes

/// What a server says about how much more it will answer.
///
/// Read from `RateLimit-Limit`, `-Remaining`, `-Reset` and `-Policy` and from `Retry-After`, in the form
/// that the reference servers send: Reset is a time in epoch seconds, not a number of seconds (Q25).
public struct RateLimit: Sendable, Hashable {
  /// Requests allowed in a window.
  public var limit: Int?
  /// Requests left in the current window.
  public var remaining: Int?
  /// Length of the window, from the policy (`3000;w=300`).
  public var window: Duration?
  /// How long until the window resets, counted from the moment of reading.
  public var untilReset: Duration?
  /// How long the server asks to wait; servers send it with a 429 or 503 only.
  public var retryAfter: Duration?

  /// No server's window is longer; a larger value is hostile or a mistake, and is cut to this.
  public static let longestWait = Duration.seconds(86_400)

  /// Nothing said.
  init() {}

  /// Reads the header fields of an answer, or nil where none of them stands.
  ///
  /// - Parameter microsecondsSinceEpoch: the time of reading, which turns the reset time into a wait.
  public init?(_ fields: HTTPFields, at microsecondsSinceEpoch: Int64) {
    limit = fields[.rateLimitLimit].flatMap(Self.count)
    remaining = fields[.rateLimitRemaining].flatMap(Self.count)
    window = fields[.rateLimitPolicy].flatMap(Self.window)
    // The server's own clock where it tells it: ours may be wrong, and a reset is a time of theirs.
    let now = fields[.date].flatMap(Self.date) ?? microsecondsSinceEpoch / 1_000_000
    untilReset = fields[.rateLimitReset].flatMap(Self.count).map { Self.wait(until: Int64($0), from: now) }
    retryAfter = fields[.retryAfter].flatMap { text in
      Self.count(text).map { min(.seconds($0), Self.longestWait) }
        ?? Self.date(text).map { Self.wait(until: $0, from: now) }
    }
    if limit == nil, remaining == nil, window == nil, untilReset == nil, retryAfter == nil { return nil }
  }

  /// Reads what concerns the caller's own allowance: an answer that a shared cache kept (`Age`) tells of
  /// somebody else's. Costs next to nothing where no such field stands.
  init?(ofCaller fields: HTTPFields, at microsecondsSinceEpoch: Int64) {
    var isThere = false
    for field in fields {
      let name = field.name.canonicalName
      if name == "age", field.value != "0" { return nil }
      if name == "retry-after" || name.hasPrefix("ratelimit-") { isThere = true }
    }
    guard isThere else { return nil }
    self.init(fields, at: microsecondsSinceEpoch)
  }

  /// How long to wait after a refusal: what the server asks for, else until its window resets.
  public var waitAfterRefusal: Duration? { retryAfter ?? untilReset }

  private static func wait(until moment: Int64, from now: Int64) -> Duration {
    min(.seconds(max(0, moment - now)), longestWait)
  }

  private static func count(_ text: String) -> Int? {
    guard text.utf8.count <= 18, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
    else { return nil }
    return Int(text)
  }

  /// The epoch seconds of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of a date that may be sent
  /// (RFC 9110, 5.6.7).
  static func date(_ text: String) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: parts[2]) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Datetime("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")?.secondsSinceEpoch
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
