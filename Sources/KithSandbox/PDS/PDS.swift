// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons
internal import KithLocalMessages

/// The server of all accounts' repositories: handles, sessions, records, and its own description.
struct PDS: Sendable {
  let live: LiveNetwork
  let directory: PLCDirectory
  var network: SandboxNetwork { live.network }
  var dialect: SandboxDialect { live.writing.dialect }

  /// The path at which a handle's host returns its DID.
  static let handlePath = "/.well-known/atproto-did"

  /// The answer to a health check.
  static let health = LocalResponse(body: Array(#"{"version":"sandbox"}"#.utf8))

  func offer(to routes: inout XRPCRoutes) {
    routes.add(
      Com.Atproto.Identity.ResolveHandle.self,
      answering: { parameters, _ throws(XRPCFault) in
        // As the reference AppView, which also answers here, resolve handles of hidden accounts as well.
        guard let index = live.standings.index(of: .handle(parameters.handle)) else {
          throw .invalidRequest("Unable to resolve handle")
        }
        return Com.Atproto.Identity.ResolveHandle.Output(did: network.dids[index])
      })
    routes.add(
      Com.Atproto.Server.DescribeServer.self,
      answering: { _, _ in
        Com.Atproto.Server.DescribeServer.Output(
          inviteCodeRequired: true, blobUploadLimit: Self.mostFileBytes, availableUserDomains: [".test"],
          did: Identities.pds)
      })
    offerSessions(to: &routes)
    offerReads(to: &routes)
    offerWrites(to: &routes)
    offerPreferences(to: &routes)
    offerFiles(to: &routes)
  }

  /// Whether this server, and not another one at the same address, answers a method.
  static func answers(_ nsid: String) -> Bool {
    nsid.hasPrefix("com.atproto.server.") || nsid.hasPrefix("com.atproto.repo.")
      || nsid == App.Bsky.Actor.GetPreferences.nsid.description
      || nsid == App.Bsky.Actor.PutPreferences.nsid.description
  }

  /// Returns the DID of the handle in the `Host` field.
  ///
  /// Specification: <https://atproto.com/specs/handle>.
  /// - Throws: ``XRPCFault`` 404 if the host is not a handle of the network, or its account is inactive.
  func did(ofHost host: String?) throws(XRPCFault) -> LocalResponse {
    let name = host?.split(separator: ":").first ?? ""
    let standings = live.standings
    guard let handle = Handle(String(name)), let index = standings.index(of: .handle(handle)),
      standings.status(at: index) == .active
    else {
      throw XRPCFault(status: 404, name: "NotFound", message: "User not found")
    }
    return LocalResponse(
      contentType: "text/plain; charset=utf-8", body: Array(network.dids[index].description.utf8))
  }
}
