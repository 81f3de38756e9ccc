// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

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

  mutating func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    var request = XRPCRequest(
      method: try nsid(), verb: kind == .query ? .get : .post, items: try items(), accept: "*/*")
    if let input {
      let source = try InputDescriptor(path: input)
      var bytes: [UInt8] = []
      while case let piece = try await source.next(), !piece.isEmpty { bytes += piece }
      request.body = XRPCRequest.Body(bytes: bytes, encoding: encoding)
    }
    var client = try await client(wiring)
    client.configuration.proxy = try reference()
    let cost = CostReport(wiring.meter)
    defer { if common.verbose { cost.say() } }
    do {
      if paginate {
        try await printPages(request, from: client)
      } else {
        try await print(request, from: client)
      }
    } catch let error as XRPCError where error.status == 400 && FailureKind(error) == .unavailable {
      // The parameters are the user's own, and were not checked before.
      throw CommandFault(.usage, Message(error))
    }
  }

  /// The client of the service; it acts as the signed-in account if the service is its PDS.
  ///
  /// - Throws: ``CommandFault`` if `--account` and `--service` do not fit.
  private func client(_ wiring: Wiring) async throws -> XRPCClient {
    var client = wiring.appview
    var isChosen = network.appview != nil
    if let service {
      client = wiring.workspace.client(of: try Wiring.service(service, named: "--service"))
      isChosen = true
    } else if let pds = wiring.services.pds, method.hasPrefix("com.atproto.") {
      client = wiring.workspace.client(of: pds)
      isChosen = network.pds != nil
    }
    if common.account != nil {
      let account = try await wiring.workspace.account()
      guard service == nil || client.service == account.pds.service else {
        throw CommandFault(.usage, .otherService(account.pds.service))
      }
      return account.pds
    }
    if isChosen, client.service == wiring.appview.service { return client }
    // Without a place for sessions the call is anonymous.
    guard (try? UserFolder.state.path(in: wiring.environment)) != nil,
      let account = try await wiring.workspace.accountIfAny()
    else { return client }
    return !isChosen || client.service == account.pds.service ? account.pds : client
  }

  /// Prints a whole answer: readable on a terminal, else as one line.
  private func write(_ answer: [UInt8]) throws {
    let output = OutputDescriptor.standardOutput
    if output.isTerminal { return try output.write(Array((JSONText.readable(answer) + "\n").utf8)) }
    let endsAsLine = answer.isEmpty || answer.last == UInt8(ascii: "\n")
    try output.write(endsAsLine ? answer : answer + [UInt8(ascii: "\n")])
  }

  private struct Page: Decodable {
    let cursor: String?
  }

  /// Prints all pages, one answer per line.
  private func printPages(_ request: XRPCRequest, from client: XRPCClient) async throws {
    var request = request
    var pages = PaginationGuard()
    while true {
      let answer = try await whole(
        try await client.stream(request, repeatable: true), of: request, from: client)
      try write(answer)
      guard let page = try? JSONCoding.decode(Page.self, from: answer) else { return }
      switch pages.received([answer], cursor: page.cursor) {
      case .end: return
      case .fault(let fault): throw CommandFault(.brokenProtocol, .circularCursor(method, fault))
      case .next(let cursor):
        request.items.removeAll { $0.name == "cursor" }
        request.items.append(XRPCQueryItem("cursor", cursor))
      }
    }
  }

  /// Prints JSON, and anything on a terminal, after it has arrived completely; streams everything else, which
  /// may be of any size.
  private func print(_ request: XRPCRequest, from client: XRPCClient) async throws {
    let output = OutputDescriptor.standardOutput
    let stream = try await client.stream(request, repeatable: kind == .query)
    // One line of JSON is one line; anything else is printed as it arrives.
    if output.isTerminal || stream.mediaType == "application/json" {
      return try write(try await whole(stream, of: request, from: client))
    }
    var (first, last) = (UInt8?.none, UInt8?.none)
    for try await chunk in stream.body {
      try output.write(chunk)
      first = first ?? chunk.first
      last = chunk.last
    }
    if first == UInt8(ascii: "{"), last != UInt8(ascii: "\n") { try output.write([UInt8(ascii: "\n")]) }
  }

  /// Reads the whole response; retries once if it broke off and a retry is safe.
  private func whole(
    _ stream: TransportStream, of request: XRPCRequest, from client: XRPCClient
  ) async throws -> [UInt8] {
    let most = client.configuration.limits.responseBytes
    do {
      let answer = try await stream.body.collect(upTo: most + 1)
      guard answer.count <= most else {
        throw CommandFault(.brokenProtocol, .answerTooLarge(method, mebibytes: most >> 20))
      }
      return answer
    } catch let error as XRPCError where error.isTransient && kind == .query {
      return try await client.perform(request, repeatable: true)
    }
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
    try proxy.map { text throws(CommandFault) in try Wiring.reference(text, named: "--proxy") }
  }
}
