// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import Testing

  @testable import KithLocalHTTP

  struct PeerOwnerTests {
    /// The answer of the kernel to a question about a socket of user 1001, with nothing but that.
    private static let answer: [UInt8] =
      [88, 0, 0, 0, 20, 0, 0, 0] + [UInt8](repeating: 0, count: 72) + [0xE9, 3, 0, 0] + [0, 0, 0, 0]

    @Test func theOwnerStandsInTheAnswer() { #expect(PeerOwner.owner(in: Self.answer) == 1_001) }

    @Test func anErrorNamesNoOwner() {
      var error = Self.answer
      error[4] = 2
      for answer in [error, Array(Self.answer.prefix(83)), []] { #expect(PeerOwner.owner(in: answer) == nil) }
    }
  }
#endif
