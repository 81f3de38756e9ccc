// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
internal import KithLocalMessages
internal import KithSandbox

/// A small AT Protocol network in the process: an AppView, a PDS and a PLC directory with made-up accounts, as
/// `kith sandbox` runs them, but without sockets.
///
/// ```swift
/// import KithTestSupport
///
/// let sandbox = SandboxTransport()
/// let network = ServiceNetwork.sandbox(sandbox)
/// let sessions = network.sessions(in: InMemorySessionStore())
/// try await sessions.signIn(.did(sandbox.alice.did), password: sandbox.alice.password)
/// show(sandbox.calls(of: "com.atproto.server.createSession"))
/// ```
///
/// The same number of accounts and seed give the same accounts and relationships. Changes are kept as long as the transport.
/// To break or watch it, wrap it in a ``ScriptedTransport``.
public final class SandboxTransport: HTTPTransport {
  /// An account of the network.
  public struct Account: Sendable, Hashable {
    /// Its permanent identifier.
    public let did: DID
    /// Its handle, such as `alice.test`.
    public let handle: Handle
    /// Its password at ``SandboxTransport/service``.
    public let password: Password
  }

  public let capabilities: TransportCapabilities = [.connectedAddress, .headLimit, .webSocket]
  /// The address of all services of the network.
  public let service = ServiceURL(knownHost: "sandbox.test")
  /// The accounts. The first 14 have names, and each kind of relationship with ``alice``.
  public let accounts: [Account]
  /// `alice.test`, who follows `bob.test` and is followed by them.
  public let alice: Account
  /// The time of the network.
  public let time: TimeSource
  private let sandbox: Sandbox
  private let server: InProcessServer

  /// Creates a network, which takes some milliseconds for 100 accounts.
  ///
  /// - Parameters:
  ///   - accounts: the number of accounts; at least 14.
  ///   - seed: decides what is made up.
  ///   - time: the clock of the servers; `ServiceNetwork.sandbox(_:)` shares it.
  public init(accounts: Int = 100, seed: UInt64 = 1, time: TimeSource = .system) {
    let network = SandboxNetwork(configuration: .init(accounts: accounts, seed: seed))
    sandbox = Sandbox(
      network: network, configuration: Sandbox.Configuration(wall: { time.instant }))
    server = InProcessServer(at: service.origin, sandbox.answers(at: service.origin))
    self.accounts = network.accounts.compactMap(Account.init)
    guard let alice = self.accounts.first else {
      preconditionFailure("invariant: a sandbox has at least the cast of 14 accounts")
    }
    self.alice = alice
    self.time = time
  }

  /// Returns the account with a handle; nil if there is none.
  public func account(_ handle: String) -> Account? {
    accounts.first { $0.handle.description == handle }
  }

  /// Returns how often a method was called, by its NSID.
  public func calls(of method: String) -> Int { sandbox.statistics[method] }

  /// The number of all requests.
  public var calls: Int { sandbox.statistics.total }

  /// Makes an account follow another one, as its owner would with another app. Subscribers of
  /// `network.bsky.jetstream.subscribeEvents` at ``service`` learn of it; unknown accounts are ignored.
  public func follow(from actor: DID, to subject: DID) { sandbox.follow(from: actor, to: subject) }

  /// Makes an account unfollow another one: deletes all its follow records of the subject.
  public func unfollow(from actor: DID, to subject: DID) { sandbox.unfollow(from: actor, to: subject) }

  /// Makes an account block another one.
  public func block(from actor: DID, to subject: DID) { sandbox.block(from: actor, to: subject) }

  /// Deletes all block records of a subject.
  package func unblock(from actor: DID, to subject: DID) { sandbox.unblock(from: actor, to: subject) }

  /// Writes a record, or deletes it.
  package func set(_ record: DataValue?, at key: RecordKey, in collection: NSID, of account: DID) {
    _ = sandbox.setRecords([key: record], in: collection, of: account)
  }

  /// Gives an account another name.
  package func rename(_ account: DID, to handle: Handle) { sandbox.rename(account, to: handle) }

  /// Deactivates an account, or makes it active again.
  package func set(isActive: Bool, _ account: DID) {
    sandbox.set(isActive ? .active : .deactivated, of: account)
  }

  /// The number of open connections to the Jetstream.
  package var streamReaders: Int { sandbox.stream.readerCount }

  /// Drops all connections to the Jetstream.
  package func dropStreams() { sandbox.stream.dropReaders() }

  /// Makes the Jetstream forget its events.
  package func forgetEvents() { sandbox.stream.forget() }

  /// Makes the Jetstream continue as another instance, without events and with numbers from 1 on.
  package func restartStream() { sandbox.stream.restart() }

  /// Tells the Jetstream's readers that a repository broke, and perhaps its records.
  package func breakRepository(of account: DID, withRecords: Bool) {
    sandbox.sync(account, withRecords: withRecords)
  }

  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await server.send(request)
  }

  public func openWebSocket(
    _ request: TransportRequest, limits: WebSocketLimits
  ) async throws -> WebSocketAnswer {
    try await server.openWebSocket(request, limits: limits)
  }
}

extension SandboxTransport.Account {
  fileprivate init?(_ account: SandboxAccount) {
    guard let password = Password(account.password) else { return nil }
    self.init(did: account.did, handle: account.handle, password: password)
  }
}

extension ServiceNetwork {
  /// The network of a sandbox in the process, with its clock.
  public static func sandbox(_ sandbox: SandboxTransport) -> ServiceNetwork {
    .sandbox(at: sandbox.service, transport: sandbox, time: sandbox.time)
  }
}
