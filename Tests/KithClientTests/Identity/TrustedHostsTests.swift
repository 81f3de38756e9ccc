// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import TestSupport
import Testing

@Suite struct TrustedHostsTests {
  private func url(_ text: String) throws -> ServiceURL { try ServiceURL(parsing: text) }

  @Test(arguments: [
    ("http://localhost:2583", TransportRequest.Reach.anywhere),
    ("http://LOCALHOST:2583/other/path", .anywhere),
    ("https://localhost:2583", .publicOnly), ("http://localhost", .publicOnly),
    ("http://localhost:2584", .publicOnly),
    ("https://appview.test:443", .anywhere), ("https://evil.appview.test", .publicOnly),
    ("http://127.0.0.1:2583", .publicOnly),
  ]) func letsOnlyTheNamedOriginIntoPrivateNetworks(text: String, reach: TransportRequest.Reach) throws {
    let named = TrustedHosts([try url("http://localhost:2583"), try url("https://appview.test/base")])
    #expect(named.reach(of: try url(text)) == reach)
  }

  @Test func namesNoContactByDefault() throws {
    #expect(TrustedHosts([]).reach(of: try url("http://localhost")) == .publicOnly)
  }

  /// A directory created from only a client uses the public PLC directory, with the client's clock and meter.
  @Test func takesEverythingElseFromTheClient() async throws {
    let clock = ManualClock(.skipping)
    let transport = ScriptedTransport(responses: [
      TransportResponse(status: 503), TransportResponse(#"{"id":"\#(Accounts.did(1))"}"#),
    ])
    let client = XRPCClient(
      service: try url("https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(random: { 1 }), time: clock.timeSource())
    _ = try await IdentityDirectory(client: client).document(of: Accounts.did(1))
    #expect(transport.requests.map(\.head.authority) == ["plc.directory", "plc.directory"])
    #expect(clock.slept == [.milliseconds(200)])
    #expect(client.meter.cost.calls == 2)
  }
}
