// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting
import Observation

/// The signed-in account of an app, with all that acts for it.
@Observable
public final class AccountModel {
  /// What acts for an account.
  public struct SignedIn {
    public let account: DID
    public let profiles: ProfileService
    public let writer: RelationshipWriter
  }

  /// Nil while no account is signed in.
  public private(set) var signedIn: SignedIn?
  /// One for the app: its cache and its calls are shared by all views.
  public let service: FollowRelationshipService
  private let sessions: SessionDirectory
  private let journal: Journal

  /// - Parameters:
  ///   - store: where sessions are kept, such as ``SessionKeychain``.
  ///   - journal: where changes are journaled, so that none is lost or made twice.
  public init(_ network: ServiceNetwork, store: any SessionStore, journal: Journal) {
    service = FollowRelationshipService(client: network.appview)
    sessions = network.sessions(in: store)
    self.journal = journal
  }

  /// Opens the session of an earlier launch, if there is one.
  public func restore() async throws {
    if let session = try? await sessions.session(of: nil) { open(session) }
  }

  /// Signs in, at the server of the account unless another one is named.
  public func signIn(_ name: String, password: Password, at server: ServiceURL? = nil) async throws {
    open(try await sessions.signIn(try ATIdentifier(parsing: name), password: password, at: server))
  }

  /// Signs out and forgets everything of the account.
  ///
  /// - Throws: `JobError` if a job is not finished: ask, then call it again with `abandoningJobs`.
  public func signOut(abandoningJobs: Bool = false) async throws {
    guard let signedIn else { return }
    let memory = AccountMemory(journal: journal, relationships: service, profiles: signedIn.profiles)
    _ = try await sessions.signOut(
      signedIn.account, forgetting: memory, abandoningUnfinished: abandoningJobs)
    self.signedIn = nil
  }

  private func open(_ session: Session) {
    let client = sessions.client(of: session)
    let profiles = ProfileService(account: session.did, client: client, overlay: service.overlay)
    let writer = RelationshipWriter(
      account: session.did, pds: client, relationships: service, profiles: profiles, journal: journal)
    signedIn = SignedIn(account: session.did, profiles: profiles, writer: writer)
  }
}
