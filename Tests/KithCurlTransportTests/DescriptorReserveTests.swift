// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithCurlTransport

/// What connections leave to the rest of the process.
@Suite struct DescriptorReserveTests {
  @Test(arguments: [
    (0, 64, true), (55, 64, true), (56, 64, false), (63, 64, false), (3, 10, false), (3, 0, false),
  ])
  func theLastDescriptorsAreNotForConnections(descriptor: Int32, limit: Int, isUntouched: Bool) {
    #expect(DescriptorReserve.isUntouched(by: descriptor, of: limit) == isUntouched)
  }

  @Test func aProcessWithRoomMayConnect() {
    #expect(DescriptorReserve.isUntouched(by: 3))
  }
}
