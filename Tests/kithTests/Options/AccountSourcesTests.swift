// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import Testing

@testable import kith

/// Which options leave the choice of accounts to Kith, so that a change of them is asked about.
@Suite struct AccountSourcesTests {
  @Test func whatAnOptionFindsTheUserHasNotNamed() throws {
    #expect(try AccountSources.parse([]).isEmpty)
    for line in [
      "--search zo", "--similar-to bob.test", "--people recommend --first 3", "--likers-of POST",
      "--reposters-of POST", "--quoters-of POST", "--repliers-of POST", "--list LIST", "--pack PACK",
      "--followers-of bob.test", "--follows-of bob.test", "--known-followers-of bob.test", "--mutuals",
      "--following", "--followers", "--not-following-back", "--not-followed-back", "--blocks", "--mutes",
      "--following-in tangled",
    ] {
      let sources = try AccountSources.parse(line.split(separator: " ").map(String.init))
      #expect(!sources.isEmpty, "\(line)")
    }
  }
}
