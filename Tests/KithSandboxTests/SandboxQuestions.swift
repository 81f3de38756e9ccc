// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import TestSupport

@testable import KithSandbox

/// Asks a network's servers without HTTP, and decodes the answers with the lexicons' types.
struct SandboxQuestions {
  let network: SandboxNetwork
  let origin: SandboxOrigin

  /// The network of a thousand accounts for most tests, generated once.
  static let network = SandboxNetwork()

  init(
    _ network: SandboxNetwork = Self.network, paging: SandboxPaging = .refilled,
    writing: SandboxWriting = SandboxWriting(), wall: @escaping @Sendable () -> Instant = { 0 }
  ) {
    self.network = network
    origin = SandboxOrigin(
      LiveNetwork(network, writing, wall: wall), url: "http://127.0.0.1:2583", paging: paging)
  }

  func did(_ member: NamedAccount) -> DID { network.dids[member.rawValue] }

  /// The answer as it would be sent.
  func raw(
    _ path: String, query: String = "", method: String = "GET", host: String? = nil, token: String? = nil
  ) -> LocalResponse {
    origin.answer(
      LocalRequest(
        method: method, path: path, query: query, host: host, authorization: token.map { "Bearer \($0)" }))
  }

  /// The answer to a method with parameters; names and values here need no escaping.
  func ask<Query: XRPCQuery>(
    _: Query.Type, _ parameters: Query.Parameters, token: String? = nil
  ) throws -> Query.Output {
    let query = parameters.queryItems.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    let answer = raw("/xrpc/\(Query.nsid)", query: query, token: token)
    guard answer.status == 200 else { throw fault(of: answer) }
    return try Query.Output(payload: answer.body)
  }

  /// The answer to a procedure as it would be sent.
  func rawCall<Procedure: XRPCProcedure>(
    _: Procedure.Type, _ input: Procedure.Input, token: String? = nil
  ) throws -> LocalResponse {
    origin.answer(
      LocalRequest(
        method: "POST", path: "/xrpc/\(Procedure.nsid)", authorization: token.map { "Bearer \($0)" },
        contentType: Procedure.inputEncoding, body: try input.payload()))
  }

  /// The answer to a procedure.
  func call<Procedure: XRPCProcedure>(
    _ procedure: Procedure.Type, _ input: Procedure.Input, token: String? = nil
  ) throws -> Procedure.Output {
    let answer = try rawCall(procedure, input, token: token)
    guard answer.status == 200 else { throw fault(of: answer) }
    return try Procedure.Output(payload: answer.body)
  }

  /// The error in an answer.
  func fault(of answer: LocalResponse) -> XRPCFault {
    let body = try? JSONCoding.decode(XRPCFaultBody.self, from: answer.body)
    return XRPCFault(status: answer.status, name: body?.error ?? "", message: body?.message ?? "")
  }

  /// All pages of a list, until there is no cursor.
  func pages<Output>(
    _ ask: (String?) throws -> Output, cursor: KeyPath<Output, String?>
  ) throws -> [Output] {
    var pages: [Output] = []
    var next: String?
    repeat {
      let page = try ask(next)
      pages.append(page)
      next = page[keyPath: cursor]
    } while next != nil && pages.count < 1_000
    return pages
  }
}

extension LocalRequest {
  /// A request with the fields that the servers read.
  init(
    method: String = "GET", path: String, query: String = "", host: String? = nil, origin: String? = nil,
    authorization: String? = nil, contentType: String? = nil, body: [UInt8] = []
  ) {
    let fields = [
      ("Host", host), ("Origin", origin), ("Authorization", authorization), ("Content-Type", contentType),
    ]
    self.init(
      method: method, path: path, query: query,
      fields: fields.compactMap { name, value in value.map { HeaderField(name: name, value: $0) } },
      body: body)
  }
}
