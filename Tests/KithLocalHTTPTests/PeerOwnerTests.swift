// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import Testing

  @testable import KithLocalHTTP

  struct PeerOwnerTests {
    /// The answer of the kernel to a question about a socket, with nothing but that.
    private func answer(state: UInt8 = 1, owner: [UInt8] = [0xE9, 3, 0, 0]) -> [UInt8] {
      [88, 0, 0, 0, 20, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [2, state]
        + [UInt8](repeating: 0, count: 62) + owner + [0, 0, 0, 0]
    }

    @Test func theOwnerAndRootAreAdmitted() {
      #expect(PeerOwner.admits(answer(), user: 1_001) && !PeerOwner.admits(answer(), user: 1_002))
      #expect(PeerOwner.admits(answer(owner: [0, 0, 0, 0]), user: 1_002))
    }

    @Test func aClosedSocketIsNotRoots() {
      for state: UInt8 in 4...11 {
        #expect(!PeerOwner.admits(answer(state: state, owner: [0, 0, 0, 0]), user: 1_001))
      }
    }

    @Test func whatTheSystemDoesNotSayIsAdmitted() {
      var error = answer()
      error[4] = 2
      for answer in [error, Array(answer().prefix(83)), []] { #expect(PeerOwner.admits(answer, user: 1_002)) }
    }
  }
#endif
