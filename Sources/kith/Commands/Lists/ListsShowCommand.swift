// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `kith lists show`: who is on a list.
struct ListsShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show who is on a list.",
    discussion: """
      Your own lists come from your repository, whole and as they are now; those of others as the AppView shows \
      them, which leaves out accounts that are suspended or deactivated. Each record that puts somebody on the \
      list is a row: list, subject (DID), handle, item (the record), since (on your own lists).

        kith lists show Noise
        kith lists show https://bsky.app/profile/alice.test/lists/3k2yihcrp6f2c --format csv
      """)

  @Argument(help: "The list.") var list: String

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let account = try await wiring.accountIfAny()
    let uri = try await wiring.list(named: list, of: account)
    try await MemberRun(wiring: wiring, account: account, wantsHandles: true).print(uri)
  }
}
