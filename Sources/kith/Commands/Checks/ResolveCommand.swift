// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations

/// `kith resolve`: resolves the identity of accounts.
struct ResolveCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "resolve",
    abstract: "Show the identity of an account: DID, handle, PDS and signing key.",
    discussion: """
      The DID document claims a handle; verified reports whether that handle resolves back to the same DID, \
      checked from this machine: with its DNS record, with https://HANDLE/.well-known/atproto-did, or, for \
      handles of a local network, with KITH_RESOLVER. The answer of the AppView alone does not verify a \
      handle.

      Fields: input, did, handle, verified (null if it could not be checked), verifiedBy and contradictedBy \
      (lists of appview, dns, https, resolver: sources that resolve to this DID, and to another), pds, \
      signingKey, error. One row per account, in the given order. The web server is asked only if the DNS \
      names no account.

        kith resolve alice.test
        kith resolve did:plc:ewvi7nxzyoun6zhxrhs64oiz --json
        kith resolve --from names.csv --column handle --format csv
      """)

  @Argument(
    help: ArgumentHelp(
      "Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "account"),
    completion: .account
  )
  var names: [String] = []

  @OptionGroup(title: "Accounts") var input: InputOptions

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { IdentityRow.self }

  mutating func validate() throws {
    if names.isEmpty, input.files.isEmpty {
      throw ValidationError("No accounts given: name some, or use --from FILE, or - for stdin.")
    }
    try input.validate(with: names)
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let names = try await context.workspace.origins(naming: names)
    let resolution = ResolveIdentities(
      TargetStream(origins: try input.origins(with: names, in: process)), skippingInvalid: input.skipInvalid)
    let cost = CostReport(context)
    let printer = try OperationPrinter<IdentityRow>(context, verb: "resolved")
    let outcome = try await resolution.run(in: context.workspace, printer.reporter)
    try printer.finish(isClosed: outcome.rows.isClosed)
    if outcome.rows.count > 0 || (outcome.rows.interruption == nil && !common.quiet),
      let complaint = Message(complainingAbout: outcome)
    {
      context.report(complaint)
    }
    if common.verbose { cost.report() }
    try context.end(outcome)
  }
}

extension Message {
  /// The message in addition to the rows; nil if they say everything.
  fileprivate init?(complainingAbout outcome: ResolveIdentities.Outcome) {
    if outcome.rows.count == 0 {
      self = .noInput("accounts")
    } else if let complaint = Message(outcome.failures, among: outcome.rows.count) {
      self = complaint
    } else if outcome.rows.count == 1, let missing = outcome.missing {
      self.init(missing)
    } else {
      return nil
    }
  }
}
