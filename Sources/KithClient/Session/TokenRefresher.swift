// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithLexicons

/// Provides the access tokens of one signed-in account, and refreshes them in time.
///
/// Refreshes shortly before a token expires, and when the server reports that it has expired. Concurrent
/// callers share one refresh; other processes wait for the store's lock and then use the new tokens.
package actor TokenRefresher: CredentialSource {
  /// The account of the tokens.
  package nonisolated let account: DID
  package nonisolated let service: ServiceURL
  private let store: any SessionStore
  private let client: XRPCClient
  private let margin: Duration
  private let time: TimeSource
  private var session: Session
  private var refresh: SharedWork<Session>?
  private var refreshes = 0
  /// The part of a refresh that must not be interrupted, because new tokens have to be stored.
  private var exchange: Task<Session, any Error>?
  /// The last token received from the server, and when.
  private var renewed: (token: SessionToken, at: Duration)?

  /// A token newer than this is not refreshed after a refusal that does not report it as expired.
  private static let newToken = Duration.seconds(60)

  /// Creates a refresher of a session.
  ///
  /// - Parameters:
  ///   - session: The session as stored.
  ///   - client: Provides transport, traffic, meter and configuration for refresh calls.
  ///   - margin: The time before its expiry at which a token is refreshed; at most a quarter of its lifetime.
  package init(
    _ session: Session, in store: any SessionStore, client: XRPCClient, margin: Duration = .seconds(60)
  ) {
    account = session.did
    service = session.pds
    self.session = session
    self.store = store
    self.client = client.unsigned(for: session).wrapping(CancellationShieldedTransport.init)
    self.margin = margin
    time = client.time
  }

  /// Takes the session as it is stored now: another process may have refreshed it, or the account has signed in again.
  package func adopt(_ stored: Session) {
    // A refresh in progress stores newer tokens.
    guard refresh == nil, stored.receivedAt >= session.receivedAt else { return }
    session = stored
  }

  package func token() async throws -> SessionToken {
    guard session.pds.keepsSecrets || session.allowsPlainText else {
      throw SessionError.plainText(session.pds)
    }
    guard session.isDue(at: time.instant, margin: margin) else { return session.accessToken }
    return try await refreshed(after: nil).accessToken
  }

  package func token(after refused: SessionToken, isExpired: Bool) async throws -> SessionToken {
    if session.accessToken != refused { return try await token() }
    if !isExpired, let renewed, renewed.token == refused, time.now - renewed.at < Self.newToken {
      return refused
    }
    return try await refreshed(after: refused).accessToken
  }

  private func refreshed(after refused: SessionToken?) async throws -> Session {
    let work: SharedWork<Session>
    if let refresh, refresh.join() {
      work = refresh
    } else {
      refreshes += 1
      work = SharedWork { [number = refreshes] in try await self.refresh(after: refused, as: number) }
      _ = work.join()
      refresh = work
    }
    do {
      return try await work.value()
    } catch let error as CancellationError {
      // The caller may end the process now; the new tokens have to be stored first.
      _ = await exchange?.result
      throw error
    }
  }

  private func refresh(after refused: SessionToken?, as number: Int) async throws -> Session {
    defer { if refreshes == number { refresh = nil } }
    let fresh = try await store.withExclusiveAccess(to: account) {
      try await self.run(SessionRefresh(of: self.account, refused: refused, margin: self.margin))
    }
    session = fresh
    return fresh
  }

  private func run(_ machine: SessionRefresh) async throws -> Session {
    var machine = machine
    let action = machine.read(try await store.session(of: account), at: time.instant)
    if case .use(let session) = action { return session }
    // In its own task: a cancelled caller waits until it has ended in an orderly way.
    let exchange = Task { [machine] in try await self.runRefresh(on: machine, with: action) }
    self.exchange = exchange
    defer { self.exchange = nil }
    return try await withTaskCancellationHandler {
      try await exchange.value
    } onCancel: {
      exchange.cancel()
    }
  }

  private func runRefresh(
    on machine: SessionRefresh, with first: SessionRefresh.Action
  ) async throws -> Session {
    var (machine, action) = (machine, first)
    while true {
      switch action {
      case .read:
        action = machine.read(try await store.session(of: account), at: time.instant)
      case .exchange(let old):
        action = machine.exchanged(try await outcome(of: old))
      case .save(let new):
        // Before it is stored, because the old one is useless even if storing fails.
        (session, renewed) = (new, (new.accessToken, time.now))
        // The only copy of the new tokens: stored even if no caller waits for them.
        try await Task { try await store.save(new) }.value
        return new
      case .use(let session): return session
      case .fail(let error): throw error
      }
    }
  }

  /// Requests new tokens, with retries, because an exchange whose response was lost cannot be undone.
  ///
  /// - Throws: `CancellationError` once no caller waits: the attempt in progress completes, and no other
  ///   begins.
  private func outcome(of old: Session) async throws -> SessionRefresh.Outcome {
    let asked = time.instant
    do {
      let answer = try await client.call(
        Com.Atproto.Server.RefreshSession.self, input: NoContent(), isIdempotent: true,
        bearer: old.refreshToken)
      return .renewed(try old.renewed(by: answer, askedAt: asked))
    } catch let error as XRPCError {
      return error.refusesCredentials ? .refused(error) : .failed(error)
    } catch let error as CancellationError {
      throw error
    } catch {
      return .failed(
        XRPCError(
          .invalidResponse, method: Com.Atproto.Server.RefreshSession.nsid, service: service.origin,
          message: "\(DecodingFault(error))"))
    }
  }
}

extension Session {
  /// Returns the session after a refresh.
  fileprivate func renewed(
    by answer: Com.Atproto.Server.RefreshSession.Output, askedAt now: Instant
  ) throws -> Session {
    var session = Session(
      did: answer.did, handle: handle, pds: pds, pdsIsUserSpecified: pdsIsUserSpecified,
      accessToken: try SessionToken(answered: answer.accessJwt),
      refreshToken: try SessionToken(answered: answer.refreshJwt), receivedAt: now,
      isActive: answer.active, status: answer.status?.rawValue)
    session.takeServerHandle(answer.handle)
    session.allowsPlainText = allowsPlainText
    session.unknownFields = unknownFields
    return session
  }
}
