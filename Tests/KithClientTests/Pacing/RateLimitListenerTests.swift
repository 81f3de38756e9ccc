// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct RateLimitListenerTests {
  private let request = TransportRequest(
    head: HTTPRequest(method: .post, scheme: "https", authority: "pds.test", path: "/xrpc/a.b.c"))

  private func heard(_ fields: HTTPFields) async throws -> [RateLimit] {
    let heard = PosixMutex<[RateLimit]>([])
    let transport = RateLimitListener(
      ScriptedTransport(responses: [TransportResponse("{}", fields: fields)]),
      time: ManualClock().timeSource(wallAtZero: 1_800_000_000_000_000)
    ) { request, limit, now in
      #expect(request.head.path == "/xrpc/a.b.c" && now == 1_800_000_000_000_000)
      heard.withLock { $0.append(limit) }
    }
    #expect(try await transport.send(request).body == Array("{}".utf8))
    return heard.withLock { $0 }
  }

  @Test func passesOnWhatTheServerSays() async throws {
    let heard = try await heard(
      HTTPFields(named: [
        "RateLimit-Limit": "5000", "RateLimit-Remaining": "4400", "RateLimit-Policy": "5000;w=3600",
        "RateLimit-Reset": "1800000060",
      ]))
    #expect(heard.map(\.remaining) == [4_400])
    #expect(heard.map(\.untilReset) == [.seconds(60)])
  }

  @Test func reportsNothingIfTheServerDoesNot() async throws {
    #expect(try await heard([:]).isEmpty)
    // A shared cache reports the limit of another client.
    #expect(try await heard(HTTPFields(named: ["RateLimit-Limit": "5000", "Age": "7"])).isEmpty)
  }
}
