// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct MassChangeWarningTests {
  @Test func warnsOfMoreThanTwoHundred() {
    #expect(MassChangeWarning(follows: 200) == nil)
    #expect(MassChangeWarning(follows: 201) != nil)
    #expect(MassChangeWarning(follows: 100, unfollows: 101) != nil)
  }

  @Test func warnsOfABigShare() {
    #expect(MassChangeWarning(follows: 0, unfollows: 60, following: 100) != nil)
    #expect(MassChangeWarning(follows: 0, unfollows: 50, following: 100) == nil)
    #expect(MassChangeWarning(follows: 10, following: 1) == nil)
  }

  @Test func namesThePolicyAndTheNumbers() throws {
    let warning = try #require(MassChangeWarning(follows: 1, unfollows: 300, following: 400))
    #expect("\(warning)".hasPrefix("1 follow and 300 unfollows (the account follows 400): "))
    #expect("\(warning)".contains("https://bsky.social/about/support/community-guidelines"))
  }
}
