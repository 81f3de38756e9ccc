// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// `kith starter-packs list`: shows the starter packs of an account.
struct StarterPacksListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show your starter packs, or those of another account.",
    discussion: """
      They are read from the repository of their owner. Fields: uri, name, owner, description, list (of the \
      members), createdAt.

        kith starter-packs --of alice.test --json
      """)

  @Option(
    help: ArgumentHelp("Show the starter packs of this account.", valueName: "account"), completion: .actor)
  var of: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { StarterPackRow.self }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let cost = CostReport(wiring.meter)
    let owner: DID
    if let of {
      owner = try await wiring.identities.did(of: try ActorInput(parsing: of).identifier)
    } else {
      owner = try await wiring.workspace.account().did
    }
    let client = try await wiring.workspace.repository(of: owner)
    try await common.printing(StarterPackRow.self, environment: wiring.environment) { printer in
      let unreadable = UnreadableRecords(.starterPack) { [common] in common.say($0) }
      defer { unreadable.finish() }
      for try await row in RecordReader(of: owner, client: client).starterPacks() {
        switch row {
        case .success(let pack): try printer.print(StarterPackRow(owner: owner, pack: pack))
        case .failure(let record): unreadable.add(record)
        }
      }
    }
    if common.verbose { cost.say() }
  }
}
