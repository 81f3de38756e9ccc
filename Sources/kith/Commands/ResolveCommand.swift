// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ArgumentParser

/// `kith resolve`: who an actor is.
struct ResolveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    _superCommandName: Program.name,
    abstract: "Show who an actor is: DID, handle, PDS and signing key.",
    discussion: """
      The DID document says which handle its account claims; verified tells whether that handle leads back to \
      the same DID, asked from this machine: by its DNS record, by https://HANDLE/.well-known/atproto-did, or, for \
      handles of a local network, by KITH_RESOLVER. The AppView's word alone verifies nothing.

      Fields: input, did, handle, verified (null where it could not be learned), verifiedBy and contradictedBy \
      (lists of appview, dns, https, resolver: who leads to this DID, and who to another), pds, signingKey, error. \
      Each actor is one row, in the order asked. The web server is asked where the DNS names no account.

        kith resolve alice.test
        kith resolve did:plc:ewvi7nxzyoun6zhxrhs64oiz --json
        kith resolve --from names.csv --column handle --format csv
      """)

  @Argument(
    help: ArgumentHelp("Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "actor")
  )
  var names: [String] = []

  @OptionGroup(title: "Actors") var input: InputOptions

  @OptionGroup var common: CommonOptions

  mutating func validate() throws {
    if names.isEmpty, input.files.isEmpty {
      throw ValidationError("Whom? Name actors, --from FILE, or - for stdin.")
    }
    try input.validate(with: names)
  }

  mutating func run() async throws {
    let environment = RunContext.current.environment
    let wiring = try Wiring(common, environment: environment)
    let run = ResolveRun(wiring: wiring)
    let names = try await wiring.origins(naming: names)
    let skipped = SkippedNames()
    let status = try await run.print(
      TargetStream(origins: try input.origins(with: names)).skippingInvalid(input.skipInvalid, to: skipped))
    skipped.finish()
    if status != .success { throw CommandFault(status) }
  }
}
