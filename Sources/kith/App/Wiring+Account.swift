// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Relationships

extension Wiring {
  /// The AppView that calls are passed on to, by the name that its DID document gives it.
  static let publicAppViewService = "did:web:api.bsky.app#bsky_appview"

  /// Signs accounts in and out, and finds those that are.
  func sessions() throws(CommandFault) -> SessionDirectory {
    let folder = SessionFolder(path: try UserFolder.state.path(in: environment) + "/sessions", time: time)
    return SessionDirectory(store: folder, identities: identities, named: named, client: appview)
  }

  /// Where accounts signed in before.
  func knownAccounts() throws(CommandFault) -> KnownAccounts {
    KnownAccounts(path: try UserFolder.state.path(in: environment) + "/known")
  }

  /// The account that `--account` names, or else the current one.
  ///
  /// - Throws: ``CommandFault``; 77 and the command to run where nobody is signed in.
  func account() async throws -> AuthorizedAccount { try await account(named: chosenAccount) }

  /// The account of that name, or else the current one.
  ///
  /// - Throws: as ``account()``.
  func account(named name: ATIdentifier?) async throws -> AuthorizedAccount {
    let service = try Self.reference(
      environment["KITH_APPVIEW_PROXY"] ?? Self.publicAppViewService, named: "KITH_APPVIEW_PROXY")
    let sessions = try sessions()
    let session = try await sessions.session(of: name)
    var pds = client(of: session.pds).signed(by: sessions.keeper(of: session))
    pds.configuration.reach = session.reach
    return AuthorizedAccount(
      did: session.did, handle: session.handle, pds: pds,
      appview: pds.signed(by: pds.configuration.credentials, proxy: service))
  }

  /// A service as an option or a variable names it for `atproto-proxy`.
  static func reference(_ text: String, named origin: String) throws(CommandFault) -> ServiceReference {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    guard parts.count == 2, let did = DID(String(parts[0])),
      let reference = ServiceReference(did: did, service: String(parts[1]))
    else {
      throw CommandFault(
        .badInput, .invalidServiceReference(text, origin: origin, example: publicAppViewService))
    }
    return reference
  }

  /// Targets that arguments name; `me` is the signed-in account.
  ///
  /// - Throws: as ``account()``, for `me`.
  func origins(naming names: some Collection<String>) async throws -> [TargetStream.Origin] {
    var origins: [TargetStream.Origin] = []
    for name in names {
      origins.append(
        name == "me"
          ? .question(RelationshipQuestion(input: name, target: .did(try await account().did)))
          : .argument(name))
    }
    return origins
  }

  /// The actor that somebody names; `me` and no name are the signed-in account.
  ///
  /// - Throws: ``CommandFault``, `InputError` for a text that names nobody.
  func actor(named name: String?) async throws -> ATIdentifier {
    guard let name, name != "me" else { return .did(try await account().did) }
    return try ActorInput(parsing: name).identifier
  }
}
