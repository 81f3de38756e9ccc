// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// The answers of all servers of the network, which share one address. Independent of HTTP.
struct SandboxOrigin: Sendable {
  let live: LiveNetwork
  let pds: PDS
  let routes: XRPCRoutes
  let directory: PLCDirectory
  private let streams: StreamServer

  init(_ live: LiveNetwork, url: String, paging: SandboxPaging) {
    self.live = live
    directory = PLCDirectory(live: live, pds: url)
    streams = StreamServer(stream: live.stream)
    pds = PDS(live: live, directory: directory)
    var routes = XRPCRoutes()
    AppViewServer(live: live, paging: paging, url: url).offer(to: &routes)
    pds.offer(to: &routes)
    self.routes = routes
  }

  /// The path that advances the story by a day.
  private static let dayPath = "/day"

  /// The name under which a request is counted: one of a fixed set, whatever the client sends.
  func label(of request: LocalRequest) -> String {
    if request.isHealthCheck { return "_health" }
    if request.path.hasPrefix("/xrpc/") {
      let nsid = String(request.path.dropFirst("/xrpc/".count))
      return routes.offers(nsid) || nsid == StreamServer.method ? nsid : "other"
    }
    if SandboxPicture.isPicture(path: request.path) { return "/img" }
    if [PDS.handlePath, StreamServer.olderPath].contains(request.path) { return request.path }
    return PLCDirectory.isDocument(path: request.path) ? "/{did}" : "other"
  }

  /// Answers any request.
  func answer(_ request: LocalRequest) -> LocalResponse {
    do {
      return try route(request)
    } catch let fault as XRPCFault {
      return refusal(fault, of: request)
    } catch {
      return LocalResponse(.internalServerError)
    }
  }

  /// A lenient PDS sends errors in plain text, except where a client has to parse them.
  private func refusal(_ fault: XRPCFault, of request: LocalRequest) -> LocalResponse {
    let nsid = request.path.dropFirst("/xrpc/".count)
    guard live.writing.dialect == .lenient, PDS.answers(String(nsid)), fault.name != "ExpiredToken" else {
      return LocalResponse(fault)
    }
    var answer = LocalResponse(
      status: fault.status, contentType: "text/plain; charset=utf-8", body: Array(fault.message.utf8))
    answer.fields = fault.fields
    return answer
  }

  private func route(_ request: LocalRequest) throws -> LocalResponse {
    if request.isHealthCheck { return PDS.health }
    if request.isForeign {
      throw XRPCFault(
        status: 403, name: "ForeignOrigin", message: "only programs and pages of this machine are answered")
    }
    switch request.path {
    case PDS.handlePath: return try pds.did(ofHost: request["host"])
    case "/xrpc/\(StreamServer.method)": return try streams.answer(request)
    case StreamServer.olderPath: return streams.olderAnswer(request)
    case let path where path.hasPrefix("/xrpc/"):
      return try routes.answer(String(path.dropFirst("/xrpc/".count)), request)
    case let path where SandboxPicture.isPicture(path: path):
      return try SandboxPicture.answer(request, from: live)
    case let path where PLCDirectory.isDocument(path: path):
      return try directory.document(path: path)
    case Self.dayPath where request.method == "POST":
      guard let events = live.passDay() else {
        throw XRPCFault(status: 409, name: "StoryEnded", message: "the story has no more days")
      }
      return LocalResponse(body: try JSONCoding.encode(events))
    default:
      throw XRPCFault(status: 404, name: "NotFound", message: "there is nothing at this address")
    }
  }
}
