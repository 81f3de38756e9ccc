// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithRelationships

/// `kith people search`.
struct PeopleSearchCommand: FindingCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Search accounts by handle, name and description.",
    discussion: """
      Signed in, the AppView ranks those higher whom you follow, and leaves out accounts with a block without saying \
      how many. With --count-hidden the search is made signed out, and Kith leaves them out and counts them.

        kith people search alice
        kith people search "marine biology" --where "followers > 100 and not following with me"
      """)

  @Argument(help: ArgumentHelp("The text.", valueName: "text"))
  var text: [String]

  @Flag(help: "Search signed out, so that accounts with a block can be counted.")
  var countHidden = false

  @OptionGroup(title: "Listing") var options: PeopleOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  mutating func validate() throws {
    if text.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("The text to search for is empty; name a part of a handle or name.")
    }
  }

  func finding(_ context: CommandContext) -> FindPeople {
    FindPeople(.search(text.joined(separator: " ")), countingHidden: countHidden)
  }
}
