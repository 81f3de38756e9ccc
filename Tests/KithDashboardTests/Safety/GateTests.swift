// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import Testing

@testable import KithDashboard

struct GateTests {
  /// Counts up, so that each secret is another one.
  private struct Counter: RandomNumberGenerator {
    var last: UInt64 = 0
    mutating func next() -> UInt64 {
      last += 1
      return last
    }
  }

  private var gate: Gate
  private var random = Counter()

  init() {
    var random = Counter()
    gate = Gate(DashboardPlace(port: 4_000), random: &random)
    self.random = random
  }

  private static let own = ["Host": "127.0.0.1:4000"]

  private func request(_ method: String = "GET", _ target: String, _ fields: [String: String]) -> LocalRequest
  {
    let parts = target.split(separator: "?", maxSplits: 1)
    return LocalRequest(
      method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "",
      fields: fields.map { HeaderField(name: $0.key, value: $0.value) })
  }

  private mutating func verdict(
    _ method: String = "GET", _ target: String, _ fields: [String: String] = [:], formToken: String? = nil,
    at now: Duration = .zero
  ) -> Gate.Verdict {
    gate.verdict(
      on: request(method, target, Self.own.merging(fields) { $1 }), formToken: formToken, now: now,
      random: &random)
  }

  private mutating func refusal(
    _ method: String = "GET", _ target: String, _ fields: [String: String] = [:], formToken: String? = nil,
    at now: Duration = .zero
  ) -> Gate.Refusal? {
    guard case .refused(let refusal) = verdict(method, target, fields, formToken: formToken, at: now) else {
      return nil
    }
    return refusal
  }

  /// Enters, and returns the field with the cookie.
  private mutating func enter(at now: Duration = .zero) throws -> String {
    guard case .entered(let field) = verdict("GET", "/enter?token=\(gate.token.text)", at: now) else {
      throw CancellationError()
    }
    return String(try #require(field.split(separator: ";").first))
  }

  @Test mutating func theTokenCountsOnce() throws {
    let token = gate.token.text
    guard case .entered(let cookie) = verdict("GET", "/enter?token=\(token)") else {
      Issue.record("the token does not count")
      return
    }
    #expect(cookie.hasPrefix("kith-4000=") && cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
    #expect(!cookie.contains(token))
    #expect(refusal("GET", "/enter?token=\(token)") == .wrongToken)
    #expect(gate.token.text != token)
  }

  @Test(arguments: ["HEAD", "POST", "OPTIONS"]) mutating func onlyGETUsesTheTokenUp(method: String) throws {
    let token = gate.token.text
    #expect(refusal(method, "/enter?token=\(token)") == .otherSite)
    _ = try enter()
  }

  @Test mutating func aCookieAdmits() throws {
    let cookie = try enter()
    guard case .admitted = verdict("GET", "/", ["Cookie": "other=1; \(cookie)"]) else {
      Issue.record("the cookie does not admit")
      return
    }
    guard case .admitted = verdict("GET", "/", ["Cookie": "kith-4000=x; \(cookie)"]) else {
      Issue.record("a server at another port keeps the browser out")
      return
    }
    #expect(refusal("GET", "/") == .notEntered)
    #expect(refusal("GET", "/", ["Cookie": "kith-4000=\(String(repeating: "0", count: 64))"]) == .notEntered)
    #expect(refusal("GET", "/", ["Cookie": cookie.replacing("kith-4000", with: "kith-4001")]) == .notEntered)
    #expect(refusal("GET", "/", ["Cookie": "kith-4000="]) == .notEntered)
  }

  @Test(arguments: ["evil.test", "evil.test:4000", "127.0.0.1", ""])
  mutating func anotherHostIsRefusedWhateverItBrings(host: String) throws {
    let cookie = try enter()
    let token = gate.token.text
    #expect(refusal("GET", "/", ["Host": host, "Cookie": cookie]) == .wrongHost)
    #expect(refusal("GET", "/enter?token=\(token)", ["Host": host]) == .wrongHost)
    #expect(refusal("GET", Assets.styleAddress, ["Host": host]) == .wrongHost)
    #expect(gate.token.text == token)
  }

  @Test mutating func aPostNeedsItsOriginItsSiteAndItsToken() throws {
    let fields = [
      "Cookie": try enter(), "Origin": "http://127.0.0.1:4000", "Sec-Fetch-Site": "same-origin",
    ]
    guard case .admitted(let session) = verdict("GET", "/", fields) else { throw CancellationError() }
    let token = session.formToken.text
    guard case .admitted = verdict("POST", "/x", fields, formToken: token) else {
      Issue.record("an own form is refused")
      return
    }
    for (name, values) in [
      ("Origin", [nil, "http://127.0.0.1:4001", "http://evil.test"]),
      ("Sec-Fetch-Site", [nil, "none", "same-site", "cross-site"]),
    ] {
      for value in values {
        var changed = fields
        changed[name] = value
        #expect(
          refusal("POST", "/x", changed, formToken: token) == .otherSite, "\(name): \(value ?? "absent")")
        #expect(refusal("DELETE", "/x", changed, formToken: token) == .otherSite)
      }
    }
    // Chromium sends this from a page that tells no referrer.
    guard case .admitted = verdict("POST", "/x", fields.merging(["Origin": "null"]) { $1 }, formToken: token)
    else {
      Issue.record("a form of a page without referrer is refused")
      return
    }
    for wrong in [nil, "", String(token.dropLast()), String(repeating: "0", count: 64)] {
      #expect(refusal("POST", "/x", fields, formToken: wrong) == .wrongFormToken)
    }
    var another = fields
    another["Cookie"] = try enter()
    #expect(refusal("POST", "/x", another, formToken: token) == .wrongFormToken, "each browser has its own")
  }

  @Test mutating func whatScriptsReadIsReadByOwnPagesAlone() throws {
    let cookie = try enter()
    for site in [nil, "none", "same-site", "cross-site"] {
      var fields = ["Cookie": cookie]
      fields["Sec-Fetch-Site"] = site
      #expect(refusal("GET", "/api/listJobs", fields) == .otherSite)
      #expect(refusal("HEAD", "/api/events", fields) == .otherSite)
      #expect(refusal("GET", "/%61pi/events", fields) == .otherSite, "however it is written")
      guard case .admitted = verdict("GET", "/@alice.test", fields) else {
        Issue.record("a page is refused")
        return
      }
    }
    guard
      case .admitted = verdict("GET", "/api/listJobs", ["Cookie": cookie, "Sec-Fetch-Site": "same-origin"])
    else {
      Issue.record("an own script is refused")
      return
    }
  }

  @Test mutating func tenWrongTokensCloseTheEntranceForAMinute() throws {
    let cookie = try enter()
    for number in 1...10 {
      #expect(refusal("GET", "/enter?token=\(number)", at: .seconds(number)) == .wrongToken)
    }
    let right = "/enter?token=\(gate.token.text)"
    #expect(refusal("GET", right, at: .seconds(30)) == .tooManyTokens(retryAfter: .seconds(40)))
    guard case .admitted = verdict("GET", "/", ["Cookie": cookie], at: .seconds(30)) else {
      Issue.record("a browser that has entered is kept out")
      return
    }
    guard case .entered = verdict("GET", right, at: .seconds(70)) else {
      Issue.record("it stays closed")
      return
    }
  }

  /// A page elsewhere could keep the user out otherwise.
  @Test(arguments: ["image", "iframe", "script", "empty"])
  mutating func whatIsNotOpenedAsAPageDoesNotCount(kind: String) throws {
    for _ in 1...30 { #expect(refusal("GET", "/enter?token=x", ["Sec-Fetch-Dest": kind]) == .otherSite) }
    let token = gate.token.text
    #expect(refusal("GET", "/enter?token=\(token)", ["Sec-Fetch-Dest": kind]) == .otherSite)
    guard case .entered = verdict("GET", "/enter?token=\(token)", ["Sec-Fetch-Dest": "document"]) else {
      Issue.record("the user is kept out")
      return
    }
  }

  @Test mutating func wrongTokensOfMoreThanAMinuteDoNotCount() {
    for number in 1...30 {
      #expect(refusal("GET", "/enter?token=x", at: .seconds(number * 7)) == .wrongToken)
    }
  }

  @Test mutating func theSeventeenthBrowserReplacesTheFirst() throws {
    let first = try enter()
    for _ in 1..<Gate.mostSessions { _ = try enter() }
    guard case .admitted = verdict("GET", "/", ["Cookie": first]) else {
      Issue.record("sixteen fit")
      return
    }
    let last = try enter()
    #expect(refusal("GET", "/", ["Cookie": first]) == .notEntered)
    guard case .admitted = verdict("GET", "/", ["Cookie": last]) else {
      Issue.record("the last one has entered")
      return
    }
  }

  @Test func secretsHave256Bits() {
    var random = Counter()
    #expect(
      SecretToken(from: &random).text == "0000000000000001" + "0000000000000002" + "0000000000000003"
        + "0000000000000004")
    var system = SystemRandomNumberGenerator()
    #expect(SecretToken(from: &system).text != SecretToken(from: &system).text)
  }
}
