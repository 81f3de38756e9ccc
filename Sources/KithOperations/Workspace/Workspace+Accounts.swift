// SPDX-License-Identifier: Apache-2.0

package import KithClient
public import KithCore
import KithRelationships

extension Workspace {
  /// The directory of sessions.
  ///
  /// - Throws: what the store of sessions throws if there is no place for it.
  package func sessions() throws -> SessionDirectory {
    network.sessions(in: try stores.sessions())
  }

  /// The account to act as, or the current one.
  ///
  /// - Throws: `SessionError`, such as `notSignedIn`.
  public func account() async throws -> AuthorizedAccount { try await account(named: chosenAccount) }

  /// The account of that name, or the current one.
  ///
  /// - Throws: as ``account()``.
  public func account(named name: ATIdentifier?) async throws -> AuthorizedAccount {
    let sessions = try sessions()
    return await accounts.account(
      of: try await sessions.session(of: name), in: sessions, proxy: services.proxy)
  }

  /// Targets that arguments name; `me` is the signed-in account.
  ///
  /// - Throws: as ``account()``, for `me`.
  public func origins(naming names: some Collection<String>) async throws -> [TargetStream.Origin] {
    var origins: [TargetStream.Origin] = []
    for name in names {
      origins.append(
        name == "me"
          ? .question(RelationshipQuestion(input: name, target: .did(try await account().did)))
          : .argument(name))
    }
    return origins
  }

  /// The actor of a name; `me` and no name are the signed-in account.
  ///
  /// - Throws: `InputError` for an invalid name; as ``account()``, for `me`.
  public func actor(named name: String?) async throws -> ATIdentifier {
    guard let name, name != "me" else { return .did(try await account().did) }
    return try ActorInput(parsing: name).identifier
  }
}
