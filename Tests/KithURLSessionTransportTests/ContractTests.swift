// SPDX-License-Identifier: Apache-2.0

public import KithURLSessionTransport
internal import TestSupport
import Testing

extension URLSessionTransport: ClosableTransport {}

@Suite struct ContractTests {
  @Test(arguments: TransportContract.rules) func keeps(_ rule: TransportContract.Rule) async throws {
    try await TransportContract { URLSessionTransport() }.apply(rule)
  }
}
