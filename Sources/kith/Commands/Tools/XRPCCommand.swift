// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations

/// `kith xrpc`: calls any XRPC method.
struct XRPCCommand: RowCommand {
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case query
    case procedure
  }

  static let configuration = CommandConfiguration(
    verb: "xrpc",
    abstract: "Call any XRPC method and print the response.",
    discussion: """
      Parameters are name=value; a repeated parameter becomes a list. Nothing is validated before it is \
      sent, and a procedure is never retried. On a terminal, unsafe characters are escaped.

        kith xrpc query app.bsky.actor.getProfile actor=alice.test
        kith xrpc query com.atproto.repo.listRecords repo=alice.test collection=app.bsky.graph.follow --service https://pds.test
        kith xrpc query app.bsky.graph.getBlocks --paginate
        kith xrpc procedure com.example.method --input body.json
      """)

  @Argument(help: "query (GET) or procedure (POST).") var kind: Kind

  @Argument(help: ArgumentHelp("The method.", valueName: "nsid")) var method: String

  @Argument(help: ArgumentHelp("Parameters.", valueName: "name=value")) var parameters: [String] = []

  @Option(
    help: ArgumentHelp(
      "URL of the service.",
      discussion:
        "Default: the PDS of the signed-in account, as which the call is then made; else that of --pds for "
        + "com.atproto methods; else the AppView. A call to any other service is anonymous.",
      valueName: "url"))
  var service: String?

  @Option(
    help: ArgumentHelp("File with the input of a procedure; - is stdin.", valueName: "file"),
    completion: .file())
  var input: String?

  @Option(help: ArgumentHelp("Media type of the input.", valueName: "mime"))
  var encoding = "application/json"

  @Option(help: ArgumentHelp("Have the service forward the call (atproto-proxy).", valueName: "did#service"))
  var proxy: String?

  @Flag(help: "Go on with the cursor of each answer to the last page; print one answer per line.")
  var paginate = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  mutating func validate() throws {
    if kind == .procedure, paginate {
      throw ValidationError("--paginate goes with a query; a procedure is called once.")
    }
    if kind == .query, input != nil {
      throw ValidationError("--input is for procedures; a query has no input.")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    var request = XRPCRequest(
      method: try nsid(), verb: kind == .query ? .get : .post, items: try items(), accept: "*/*")
    if let input {
      let source = try process.file(input)
      var bytes: [UInt8] = []
      while case let piece = try await source.next(), !piece.isEmpty { bytes += piece }
      request.body = XRPCRequest.Body(bytes: bytes, encoding: encoding)
    }
    var call = CallMethod(request)
    call.service = try chosenService(context)
    call.proxy = try reference()
    call.paginates = paginate
    call.wantsWhole = context.output.isTerminal
    let cost = CostReport(context)
    let printer = ResponsePrinter(to: context.output)
    let outcome = try await call.run(
      in: context.workspace, Reporter { rows in for row in rows { try printer.print(row) } })
    if outcome.interruption == nil { try printer.finish() }
    if common.verbose { cost.report() }
    switch outcome.interruption {
    case let error as XRPCError
    where error.status == 400 && kind == .procedure && input == nil && !parameters.isEmpty:
      throw CommandFault(
        .usage, Message(error).explained("parameters go into the URL; name a file with --input"))
    case let error as XRPCError where error.status == 400 && FailureKind(error) == .unavailable:
      // The parameters are the user's own, and were not checked before.
      throw CommandFault(.usage, Message(error))
    default: try context.end(outcome)
    }
  }

  /// The service that the options name; nil for that of the account.
  private func chosenService(_ context: CommandContext) throws(CommandFault) -> ServiceURL? {
    if let service { return try CommandContext.service(service, named: "--service") }
    if common.account != nil { return nil }
    if let pds = context.services.pds, method.hasPrefix("com.atproto.") {
      return network.pds == nil ? nil : pds
    }
    return network.appview == nil ? nil : context.services.appview
  }

  private func nsid() throws(CommandFault) -> NSID {
    do throws(SyntaxError) { return try NSID(parsing: method) } catch {
      throw CommandFault(.badInput, .invalidMethod(error))
    }
  }

  private func items() throws(CommandFault) -> [XRPCQueryItem] {
    var items: [XRPCQueryItem] = []
    for parameter in parameters {
      guard let mark = parameter.firstIndex(of: "="), mark > parameter.startIndex else {
        throw CommandFault(.usage, .invalidParameter(parameter))
      }
      items.append(
        XRPCQueryItem(String(parameter[..<mark]), String(parameter[parameter.index(after: mark)...])))
    }
    return items
  }

  private func reference() throws(CommandFault) -> ServiceReference? {
    try proxy.map { text throws(CommandFault) in try CommandContext.reference(text, named: "--proxy") }
  }
}

/// Prints responses: readable on a terminal, else as they are.
private final class ResponsePrinter: Sendable {
  private let output: OutputDescriptor
  /// The first and the last byte of a response that is printed in parts.
  private let ends = PosixMutex<(first: UInt8, last: UInt8)?>(nil)

  init(to output: OutputDescriptor) { self.output = output }

  func print(_ row: CallMethod.Row) throws(CommandFault) {
    switch row {
    case .whole(let answer): try printWhole(answer)
    case .part(let bytes):
      try output.write(bytes)
      guard let first = bytes.first, let last = bytes.last else { return }
      ends.withLock { $0 = ($0?.first ?? first, last) }
    }
  }

  /// Ends the line of a JSON object that was printed in parts.
  func finish() throws(CommandFault) {
    guard let (first, last) = ends.withLock(\.self), first == UInt8(ascii: "{"), last != UInt8(ascii: "\n")
    else { return }
    try output.write([UInt8(ascii: "\n")])
  }

  private func printWhole(_ answer: [UInt8]) throws(CommandFault) {
    if output.isTerminal { return try output.write(Array((JSONText.readable(answer) + "\n").utf8)) }
    let endsAsLine = answer.isEmpty || answer.last == UInt8(ascii: "\n")
    try output.write(endsAsLine ? answer : answer + [UInt8(ascii: "\n")])
  }
}
