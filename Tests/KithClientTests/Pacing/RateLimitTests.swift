// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct RateLimitTests {
  private let now: Instant = 1_760_000_000_000_000

  private func read(_ fields: [String: String]) -> RateLimit? {
    RateLimit(HTTPFields(named: fields), at: now)
  }

  @Test func readsWhatReferenceServersSend() throws {
    let limit = try #require(
      read([
        "RateLimit-Limit": "3000", "RateLimit-Remaining": "2999", "RateLimit-Reset": "1760000042",
        "RateLimit-Policy": "3000;w=300",
      ]))
    #expect(limit.limit == 3000)
    #expect(limit.remaining == 2999)
    #expect(limit.window == .seconds(300))
    #expect(limit.untilReset == .seconds(42))
    #expect(limit.retryAfter == nil)
    #expect(limit.waitAfterRefusal == .seconds(42))
  }

  @Test func isNilWithoutAnyField() {
    #expect(read(["Content-Type": "text/plain"]) == nil)
  }

  /// Q25: read as a number of seconds, it would be a wait of 55 years.
  @Test func takesTheResetForATimeAndNotForAWait() {
    #expect(read(["RateLimit-Reset": "1760000001"])?.untilReset == .seconds(1))
  }

  @Test func readsAResetInMilliseconds() {
    #expect(read(["RateLimit-Reset": "1760000007000"])?.untilReset == .seconds(7))
    #expect(read(["RateLimit-Reset": "1759999999000"])?.untilReset == .zero)
  }

  @Test func waitsNotAtAllForAResetThatHasPassed() {
    #expect(read(["RateLimit-Reset": "1759999999"])?.untilReset == .zero)
    #expect(read(["RateLimit-Reset": "0"])?.untilReset == .zero)
  }

  /// No window is that long: such a time says nothing, and would stop an account for a day.
  @Test(arguments: ["9999999999", "999999999999999999", "1770000000000", "1760172801"])
  func ignoresAResetThatIsTooFarAhead(text: String) {
    let limit = read(["RateLimit-Remaining": "0", "RateLimit-Reset": text])
    #expect(limit?.remaining == 0 && limit?.untilReset == nil)
    #expect(limit?.waitAfterRefusal == nil)
  }

  @Test(arguments: ["1760172800", "1760172800000", "1760100000"]) func capsALongReset(text: String) {
    #expect(read(["RateLimit-Reset": text])?.untilReset == .seconds(86_400))
  }

  @Test(arguments: ["86401", "999999999999999999"]) func capsAHostileRetryAfter(text: String) {
    #expect(read(["Retry-After": text])?.retryAfter == .seconds(86_400))
  }

  @Test func capsAHostileWindow() {
    #expect(read(["RateLimit-Policy": "1;w=999999999999"])?.window == .seconds(86_400))
  }

  @Test(arguments: ["", "-1", "+5", "1e3", "0x10", "5.5", "soon", "9999999999999999999999", "٥", "5 5"])
  func ignoresInvalidCounts(text: String) {
    #expect(
      read([
        "RateLimit-Limit": text, "RateLimit-Remaining": text, "RateLimit-Reset": text, "Retry-After": text,
      ])
        == nil)
  }

  @Test(arguments: ["", "3000", "3000;q=1", "w=", ";;;w=x", "3000;ww=3"]) func ignoresAPolicyWithoutWindow(
    text: String
  ) {
    #expect(read(["RateLimit-Policy": text]) == nil)
  }

  @Test(arguments: ["3000;w=300", "3000; w=300", "3000;comment=x; w=300"]) func findsTheWindow(text: String) {
    #expect(read(["RateLimit-Policy": text])?.window == .seconds(300))
  }

  @Test func prefersWhatTheServerAsksForToTheReset() {
    let limit = read(["Retry-After": "7", "RateLimit-Reset": "1760000042"])
    #expect(limit?.waitAfterRefusal == .seconds(7))
  }

  /// RFC 9110 allows a date; proxies in front of a service send it.
  @Test func readsADateAsTheWaitUntilThen() {
    #expect(read(["Retry-After": "Thu, 09 Oct 2025 08:53:30 GMT"])?.retryAfter == .seconds(10))
    #expect(read(["Retry-After": "Thu, 09 Oct 2025 08:00:00 GMT"])?.retryAfter == .zero)
    #expect(read(["Retry-After": "Fri, 09 Oct 2026 08:53:30 GMT"])?.retryAfter == .seconds(86_400))
    #expect(read(["Retry-After": "Thu, 41 Oct 2025 08:53:30 GMT"]) == nil)
    #expect(read(["Retry-After": "Thu, 09 Oct 2025 28:53:30 GMT"]) == nil)
  }

  /// The reset is a time of the server's clock; the local one may be an hour off.
  @Test func countsFromTheServersOwnClock() {
    let limit = read(["RateLimit-Reset": "1760003700", "Date": "Thu, 09 Oct 2025 09:53:20 GMT"])
    #expect(limit?.untilReset == .seconds(100))
  }

  @Test func takesNothingFromAnAnswerThatACacheKept() {
    func read(_ age: String) -> RateLimit? {
      RateLimit(ofCaller: HTTPFields(named: ["RateLimit-Remaining": "5", "Age": age]), at: 0)
    }
    #expect(read("0")?.remaining == 5)
    #expect(read("17") == nil)
    #expect(RateLimit(ofCaller: HTTPFields(named: ["Content-Type": "text/html"]), at: 0) == nil)
  }
}
