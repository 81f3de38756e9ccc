// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

/// The server of all accounts' repositories: handles, and what it says of itself.
struct PDS: Sendable {
  let network: SandboxNetwork

  /// Where a handle's own host tells its DID.
  static let handlePath = "/.well-known/atproto-did"

  /// Where a server tells whether it is well.
  static let healthPath = "/xrpc/_health"

  /// The answer of a server that is well.
  static let health = SandboxAnswer(body: Array(#"{"version":"sandbox"}"#.utf8))

  func offer(to routes: inout XRPCRoutes) {
    routes.add(
      Com.Atproto.Identity.ResolveHandle.self,
      reading: { query throws(XRPCFault) in
        Com.Atproto.Identity.ResolveHandle.Parameters(handle: try query.identifier("handle"))
      },
      answering: { parameters throws(XRPCFault) in
        // The reference AppView, which answers here too, resolves handles of hidden accounts as well.
        guard let index = network.index(of: parameters.handle) else {
          throw .invalidRequest("Unable to resolve handle")
        }
        return Com.Atproto.Identity.ResolveHandle.Output(did: network.dids[index])
      })
    routes.add(
      Com.Atproto.Server.DescribeServer.self, reading: { _ in NoParameters() },
      answering: { _ in
        Com.Atproto.Server.DescribeServer.Output(
          inviteCodeRequired: true, availableUserDomains: [".test"], did: Identities.pds)
      })
  }

  /// The DID of the handle that the `Host` field names.
  ///
  /// Specification: <https://atproto.com/specs/handle>.
  /// - Throws: ``XRPCFault`` 404 where the host is no handle of the network, or one of an account that is
  ///   switched off.
  func did(ofHost host: String?) throws(XRPCFault) -> SandboxAnswer {
    let name = host?.split(separator: ":").first ?? ""
    guard let handle = Handle(String(name)), let index = network.index(of: handle),
      network.status(at: index) == .active
    else {
      throw XRPCFault(status: 404, name: "NotFound", message: "User not found")
    }
    return SandboxAnswer(
      contentType: "text/plain; charset=utf-8", body: Array(network.dids[index].description.utf8))
  }
}
