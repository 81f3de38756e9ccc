// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
package import KithRelationships

/// Calls any XRPC method. Nothing is validated before it is sent, and a procedure is never retried.
package struct CallMethod: KithOperation {
  package static let name = "callMethod"

  /// What a service has answered.
  package enum Row: Sendable {
    /// A whole response.
    case whole([UInt8])
    /// The next part of the only response, which may be of any size.
    case part([UInt8])
  }

  package var request: XRPCRequest
  /// The service; nil for the server of the signed-in account, as which the call is then made. A call to any other
  /// service is anonymous. Without an account, it is the server that the workspace names for `com.atproto` methods, and
  /// the AppView.
  package var service: ServiceURL?
  /// The service that the called one forwards the call to.
  package var proxy: ServiceReference?
  /// Whether to go on with the cursor of each response to the last page.
  package var paginates = false
  /// Whether responses that are not JSON are read as a whole, too.
  package var wantsWhole = false

  package init(_ request: XRPCRequest) { self.request = request }

  /// How a call ended.
  package struct Outcome: OperationOutcome {
    /// What ended it before the end of its last response; nil if nothing did.
    package fileprivate(set) var interruption: (any Error)?

    package var ending: Ending { Ending(interruption) }
    package var fields: [OutputField] { [] }
  }

  /// - Throws: ``OperationError`` `otherService` if the workspace acts as an account of another server; `SessionError`.
  package func run(in workspace: Workspace, _ report: Reporter<Row>) async throws -> Outcome {
    var client = try await client(in: workspace)
    client.configuration.proxy = proxy
    if !isQuery, let own = try await ownAccount(in: workspace), own.pds.service == client.service {
      // Whatever it does, no job knows of it.
      await workspace.remember("xrpc \(request.method)", by: own.did, changed: true)
    }
    var outcome = Outcome()
    do {
      if paginates { try await readPages(from: client, report) } else { try await read(from: client, report) }
    } catch {
      outcome.interruption = error
    }
    return outcome
  }

  private var isQuery: Bool { request.verb == .get }

  // MARK: Client

  private func client(in workspace: Workspace) async throws -> XRPCClient {
    if workspace.chosenAccount != nil {
      let own = try await workspace.account().pds
      guard service == nil || service == own.service else { throw OperationError.otherService(own.service) }
      return own
    }
    if let service, service == workspace.appview.service { return workspace.appview }
    if let own = try await ownServer(in: workspace), service == nil || service == own.service { return own }
    guard let service = service ?? fallback(in: workspace) else { return workspace.appview }
    return workspace.network.client(of: service)
  }

  private func ownServer(in workspace: Workspace) async throws -> XRPCClient? {
    try await ownAccount(in: workspace)?.pds
  }

  private func ownAccount(in workspace: Workspace) async throws -> AuthorizedAccount? {
    // Without a place for sessions the call is anonymous.
    guard (try? workspace.stores.sessions()) != nil else { return nil }
    return try await workspace.accountIfAny()
  }

  private func fallback(in workspace: Workspace) -> ServiceURL? {
    "\(request.method)".hasPrefix("com.atproto.") ? workspace.services.pds : nil
  }

  // MARK: Responses

  private struct Page: Decodable {
    let cursor: String?
  }

  private func readPages(from client: XRPCClient, _ report: Reporter<Row>) async throws {
    var request = request
    var pages = PaginationGuard()
    while true {
      let answer = try await whole(try await client.stream(request, repeatable: true), of: request, client)
      try await report.rows([.whole(answer)])
      guard let page = try? JSONCoding.decode(Page.self, from: answer) else { return }
      switch pages.received([answer], cursor: page.cursor) {
      case .end: return
      case .fault(let fault): throw OperationError.circularCursor(request.method, fault)
      case .next(let cursor):
        request.items.removeAll { $0.name == "cursor" }
        request.items.append(XRPCQueryItem("cursor", cursor))
      }
    }
  }

  private func read(from client: XRPCClient, _ report: Reporter<Row>) async throws {
    let stream = try await client.stream(request, repeatable: isQuery)
    if wantsWhole || stream.mediaType == "application/json" {
      try await report.rows([.whole(try await whole(stream, of: request, client))])
    } else {
      for try await chunk in stream.body { try await report.rows([.part(chunk)]) }
    }
  }

  /// Reads the whole response; retries once if it broke off and a retry is safe.
  private func whole(
    _ stream: TransportStream, of request: XRPCRequest, _ client: XRPCClient
  ) async throws -> [UInt8] {
    let most = client.configuration.limits.responseBytes
    do {
      let answer = try await stream.body.collect(upTo: most + 1)
      guard answer.count <= most else {
        throw OperationError.answerTooLarge(request.method, mebibytes: most >> 20)
      }
      return answer
    } catch let error as XRPCError where error.isTransient && isQuery {
      return try await client.perform(request, repeatable: true)
    }
  }
}

extension OperationError {
  /// - Parameter own: the only service at which calls can be made as the account.
  package static func otherService(_ own: ServiceURL) -> OperationError {
    OperationError(
      .otherService, .usage, "a named account signs calls to the account's own server only: \(own)",
      ["service": .text(own)])
  }

  package static func answerTooLarge(_ method: NSID, mebibytes: Int) -> OperationError {
    OperationError(
      .answerTooLarge, .invalidResponse, "\(method)",
      "the response is larger than \(mebibytes) MiB, too large to hold in memory",
      ["method": .text(method), "mebibytes": .integer(mebibytes)])
  }

  package static func circularCursor(_ method: NSID, _ fault: PaginationGuard.Fault) -> OperationError {
    OperationError(.circularCursor, .invalidResponse, "\(method)", "\(fault)", ["method": .text(method)])
  }
}
