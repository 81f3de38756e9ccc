// SPDX-License-Identifier: Apache-2.0

import KithCurlTransport
import TestSupport
import Testing

@Suite struct ContractTests {
  @Test(arguments: TransportContract.rules) func keeps(_ rule: TransportContract.Rule) async throws {
    try await TransportContract { CurlTransport.direct() }.apply(rule)
  }
}
