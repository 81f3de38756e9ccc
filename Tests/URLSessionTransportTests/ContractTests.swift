// SPDX-License-Identifier: Apache-2.0

internal import TestSupport
import Testing
public import URLSessionTransport

extension URLSessionTransport: ClosableTransport {}

@Suite struct ContractTests {
  @Test(arguments: TransportContract.rules) func keeps(_ rule: TransportContract.Rule) async throws {
    try await TransportContract { URLSessionTransport() }.apply(rule)
  }
}
