// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCurlTransport
import Testing

/// Servers that cannot be trusted are refused with the reason.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(1)))
struct TLSFaultTests {
  @Test(arguments: [
    ("CERTIFICATE", "expired", "expired"), ("CERTIFICATE", "other-name", "subject name"),
    ("CERTIFICATE", "self-signed", "self-signed"), ("PROTOCOLS", "TLSv1", "protocol"),
  ])
  func areRefusedWithTheReason(setting: String, value: String, words: String) async throws {
    let network = try await LiveNetwork.populated().network
    try await TLSProxy.with(network.appview.url, [setting: value]) { proxy in
      let head = HTTPRequest(
        method: .get, scheme: "https", authority: proxy.url.authority, path: "/xrpc/_health")
      let transport = CurlTransport(.init(caFile: proxy.ca))
      let error = await #expect(throws: TransportError.self) {
        try await transport.send(TransportRequest(head: head))
      }
      #expect(error?.code == .tlsFailure)
      #expect(error?.isTransient == false)
      #expect(error?.description.contains(words) == true, "\(error.map(String.init(describing:)) ?? "")")
    }
  }
}
