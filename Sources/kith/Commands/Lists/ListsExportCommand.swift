// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `kith lists export`: who is on a list, to be kept or taken elsewhere.
struct ListsExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write down who is on a list.",
    discussion: """
      The same rows as kith lists show, with as few calls as are needed: of your own lists no handles are looked \
      up. What is written as CSV can be imported by its column subject.

        kith lists export Noise --format csv > noise.csv
        kith lists import Calm --from noise.csv --column subject
      """)

  @Argument(help: "The list.") var list: String

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let account = try await wiring.accountIfAny()
    let uri = try await wiring.list(named: list, of: account)
    try await MemberRun(wiring: wiring, account: account, wantsHandles: false).print(uri)
  }
}
