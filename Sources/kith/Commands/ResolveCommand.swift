// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ArgumentParser
import Relationships

/// `kith resolve`: who an actor is.
struct ResolveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Show who an actor is: DID, handle, PDS and signing key.",
    discussion: """
      The DID document says which handle its account claims; verified tells whether that handle leads back to \
      the same DID. Fields: input, did, handle, verified (null where it could not be learned), pds, \
      signingKey, error.

        kith resolve alice.test
        kith resolve did:plc:ewvi7nxzyoun6zhxrhs64oiz --json
      """)

  @Argument(
    help: ArgumentHelp("Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "actor")
  )
  var names: [String] = []

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("Actors from a file, one a line; - is stdin.", valueName: "file"), completion: .file())
  var files: [String] = []

  @OptionGroup(title: "Common options") var common: CommonOptions

  mutating func validate() throws {
    if names.isEmpty, files.isEmpty {
      throw ValidationError("Whom? Name actors, --from FILE, or - for stdin.")
    }
    if (names + files).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("stdin (-) can be read once only.")
    }
  }

  mutating func run() async throws {
    let environment = ProcessEnvironment.current
    let wiring = try Wiring(common, environment: environment)
    let clock = ContinuousClock()
    let started = clock.now
    let origins: [TargetStream.Origin] =
      try names.map { $0 == "-" ? .file(try ByteSource(path: "-"), column: nil) : .argument($0) }
      + files.map { .file(try ByteSource(path: $0), column: nil) }
    var printer = RowPrinter<IdentityRow>(format: common.outputFormat, palette: common.palette(environment))
    var status = ExitStatus.success
    var count = 0
    for try await question in TargetStream(origins: origins) {
      let row = try await row(for: question, wiring.identities)
      if case .failure(let fault) = row.outcome {
        status = status.orGraver(fault.status)
        if fault.status == .badInput { StandardError.say(fault.message) }
      }
      count += 1
      try printer.print(row)
      if StandardOutput.isTerminal == false { try printer.flush() }
    }
    try printer.finish()
    if common.verbose { StandardError.say(CostText.line(wiring.meter.cost, elapsed: clock.now - started)) }
    // In a batch an account that does not exist is a row, not a fault.
    if status == .notFound, count > 1 { status = .success }
    if status != .success { throw CommandFault(status) }
  }

  private func row(
    for question: RelationshipQuestion, _ identities: IdentityDirectory
  ) async throws -> IdentityRow {
    let identifier: ATIdentifier
    switch question.target {
    case .did(let did): identifier = .did(did)
    case .handle(let handle): identifier = .handle(handle)
    case .unreadable(let error):
      return IdentityRow(input: question.input ?? "", outcome: .failure(CommandFault(.badInput, "\(error)")))
    }
    let input = question.input ?? "\(identifier)"
    do {
      return IdentityRow(input: input, outcome: .success(try await identities.identity(of: identifier)))
    } catch let error as IdentityError {
      return IdentityRow(input: input, outcome: .failure(CommandFault(ExitStatus(error), error.description)))
    }
  }
}
