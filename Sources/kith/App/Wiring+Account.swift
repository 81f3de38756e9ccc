// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

extension Wiring {
  /// The AppView that the account's server forwards calls to, as a service reference.
  static let publicAppViewService = "did:web:api.bsky.app#bsky_appview"

  /// The directory of sessions.
  func sessions() throws(CommandFault) -> SessionDirectory {
    let folder = SessionFolder(path: try UserFolder.state.path(in: environment) + "/sessions", time: time)
    return SessionDirectory(store: folder, identities: identities, named: named, client: appview)
  }

  /// The servers and DIDs of earlier sign-ins.
  func knownAccounts() throws(CommandFault) -> KnownAccounts {
    KnownAccounts(path: try UserFolder.state.path(in: environment) + "/known")
  }

  /// The account of `--account`, or the current one.
  ///
  /// - Throws: ``CommandFault``; 77 with the command to run if no account is signed in.
  func account() async throws -> AuthorizedAccount { try await account(named: chosenAccount) }

  /// The account of that name, or the current one.
  ///
  /// - Throws: as ``account()``.
  func account(named name: ATIdentifier?) async throws -> AuthorizedAccount {
    let service = try Self.reference(
      environment["KITH_APPVIEW_PROXY"] ?? Self.publicAppViewService, named: "KITH_APPVIEW_PROXY")
    let sessions = try sessions()
    let session = try await sessions.session(of: name)
    let pds = sessions.client(of: session)
    return AuthorizedAccount(
      did: session.did, handle: session.handle, pds: pds,
      appview: pds.signed(by: pds.configuration.credentials, proxy: service))
  }

  /// Parses a service reference for `atproto-proxy` from an option or variable.
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
  /// - Throws: ``CommandFault``; `InputError` for an invalid name.
  func actor(named name: String?) async throws -> ATIdentifier {
    guard let name, name != "me" else { return .did(try await account().did) }
    return try ActorInput(parsing: name).identifier
  }
}
