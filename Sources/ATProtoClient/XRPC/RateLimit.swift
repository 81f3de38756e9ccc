// SPDX-License-Identifier: Apache-2.0

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
  /// How long until the window starts anew, counted from the moment of reading.
  public var untilReset: Duration?
  /// How long the server asks to wait; servers send it with a 429 or 503 only.
  public var retryAfter: Duration?

  /// No server's window is longer; a larger value is hostile or a mistake, and is cut to this.
  public static let longestWait = Duration.seconds(86_400)

  /// Reads the header fields of an answer, or nil where none of them stands.
  ///
  /// - Parameter microsecondsSinceEpoch: the time of reading, which turns the reset time into a wait.
  public init?(_ fields: HTTPFields, at microsecondsSinceEpoch: Int64) {
    limit = fields[.rateLimitLimit].flatMap(Self.count)
    remaining = fields[.rateLimitRemaining].flatMap(Self.count)
    window = fields[.rateLimitPolicy].flatMap(Self.window)
    let now = microsecondsSinceEpoch / 1_000_000
    untilReset = fields[.rateLimitReset].flatMap(Self.count).map { .seconds(max(0, Int64($0) - now)) }
      .map { min($0, Self.longestWait) }
    retryAfter = fields[.retryAfter].flatMap(Self.count).map { min(.seconds($0), Self.longestWait) }
    if limit == nil, remaining == nil, window == nil, untilReset == nil, retryAfter == nil { return nil }
  }

  /// How long to wait after a refusal: what the server asks for, else until its window starts anew.
  public var waitAfterRefusal: Duration? { retryAfter ?? untilReset }

  private static func count(_ text: String) -> Int? {
    guard text.utf8.count <= 18, let value = Int(text), value >= 0 else { return nil }
    return value
  }

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
