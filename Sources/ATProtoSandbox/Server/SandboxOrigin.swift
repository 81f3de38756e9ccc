// SPDX-License-Identifier: Apache-2.0

/// What one address of the network answers: all of its servers share it. Pure, so HTTP is not needed to ask.
struct SandboxOrigin: Sendable {
  let network: SandboxNetwork
  let routes: XRPCRoutes
  let directory: PLCDirectory

  init(network: SandboxNetwork, url: String, paging: Sandbox.Paging) {
    self.network = network
    directory = PLCDirectory(network: network, pds: url)
    var routes = XRPCRoutes()
    AppView(network: network, paging: paging).offer(to: &routes)
    PDS(network: network).offer(to: &routes)
    self.routes = routes
  }

  /// The name under which a request is counted: one of a fixed set, whatever the caller sends.
  func label(of request: HTTPRequest) -> String {
    if request.path == PDS.healthPath { return "_health" }
    if request.path.hasPrefix("/xrpc/") {
      let nsid = String(request.path.dropFirst("/xrpc/".count))
      return routes.offers(nsid) ? nsid : "other"
    }
    if request.path == PDS.handlePath { return PDS.handlePath }
    return PLCDirectory.isDocument(path: request.path) ? "/{did}" : "other"
  }

  /// Answers any request there can be.
  func answer(_ request: HTTPRequest) -> SandboxAnswer {
    do {
      return try route(request)
    } catch let fault as XRPCFault {
      return SandboxAnswer(fault)
    } catch {
      return SandboxAnswer(
        XRPCFault(status: 500, name: "InternalServerError", message: "Internal Server Error"))
    }
  }

  private func route(_ request: HTTPRequest) throws -> SandboxAnswer {
    switch request.path {
    case PDS.healthPath: return PDS.health
    case PDS.handlePath: return try PDS(network: network).did(ofHost: request.host)
    case let path where path.hasPrefix("/xrpc/"):
      return try routes.answer(
        String(path.dropFirst("/xrpc/".count)), httpMethod: request.method,
        query: QueryString(percentEncoded: request.query))
    case let path where PLCDirectory.isDocument(path: path):
      return try directory.document(path: path)
    default:
      throw XRPCFault(status: 404, name: "NotFound", message: "there is nothing at this address")
    }
  }
}
