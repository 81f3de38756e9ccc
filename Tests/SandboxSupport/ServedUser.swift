// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
package import KithOperations
import KithRelationships
import KithSandbox
package import KithWriting
import TestSupport
import Testing

/// A user of a network in the process, without sockets.
///
/// Each run has a workspace of its own, as each start of a program has; the stores in memory are what runs share.
package struct ServedUser: Sendable {
  package let network: FaultyNetwork
  private let services: ServiceNetwork.Services
  private let stores: Stores

  /// - Parameter name: one of the cast, who signs in; nil to stay signed out.
  package init(_ name: String? = "alice", on network: FaultyNetwork) async throws {
    let journal = InMemoryJobStore(), history = InMemoryHistoryStore(), sessions = InMemorySessionStore()
    self.network = network
    services = ServiceNetwork.Services(
      appview: try ServiceURL(parsing: FaultyNetwork.appview),
      plc: try ServiceURL(parsing: FaultyNetwork.plc), pds: try ServiceURL(parsing: FaultyNetwork.pds),
      resolver: try ServiceURL(parsing: FaultyNetwork.resolver),
      jetstream: try ServiceURL(parsing: FaultyNetwork.jetstream))
    stores = Stores(
      sessions: { sessions }, knownAccounts: nil, journal: { _ in journal }, history: { _ in history },
      cache: Stores.Cache(records: InMemoryOwnRecordStore()))
    if let name { try await signIn(name) }
  }

  /// Signs in as one of the cast, besides those who are signed in.
  package func signIn(_ name: String) async throws {
    try await workspace().sessions().signIn(
      .handle(try Handle(parsing: "\(name).test")), password: try #require(Password("pw-\(name)")),
      at: services.pds)
  }

  /// A new workspace.
  ///
  /// - Parameters:
  ///   - transport: what calls pass through on their way to the network; nil for nothing.
  ///   - concurrency: the maximum number of parallel calls.
  ///   - caches: whether answers are kept.
  ///   - daemon: leads to the daemon of the user; nil for none.
  package func workspace(
    over transport: (any HTTPTransport)? = nil, concurrency: Int = 16, caches: Bool = true,
    daemon: (any HTTPTransport)? = nil
  ) -> Workspace {
    var stores = stores
    if !caches { stores.cache = nil }
    return Workspace(
      ServiceNetwork(
        services, transport: transport ?? network, texts: ScriptedTextRecords(), concurrency: concurrency,
        time: network.time),
      stores: stores, daemon: daemon)
  }

  /// Runs an operation, and keeps what it says.
  ///
  /// - Parameters:
  ///   - transport: what calls pass through; nil for nothing.
  ///   - workspace: a workspace of this user; nil for a new one.
  ///   - answer: answers its questions; no by default.
  package func run<Operation: KithOperation>(
    _ operation: Operation, over transport: (any HTTPTransport)? = nil, in workspace: Workspace? = nil,
    answering answer: @escaping @Sendable (Question) async throws -> Bool = { _ in false }
  ) async throws -> OperationRun<Operation> {
    let workspace = workspace ?? self.workspace(over: transport)
    let heard = PosixMutex((rows: [Operation.Row](), notes: [Note](), questions: [Question]()))
    let outcome = try await operation.run(
      in: workspace,
      Reporter(
        rows: { rows in heard.withLock { $0.rows += rows } },
        note: { note in heard.withLock { $0.notes.append(note) } },
        ask: { question in
          heard.withLock { $0.questions.append(question) }
          return try await answer(question)
        }))
    let (rows, notes, questions) = heard.withLock(\.self)
    return OperationRun(
      outcome: outcome, rows: rows, notes: notes, questions: questions,
      calls: workspace.meter.costByMethod.mapValues(\.calls))
  }

  /// The DID of one of the cast.
  package func did(_ name: String) throws -> DID { try network.did(name) }

  /// One of the cast, as the subject of a question.
  package func actor(_ name: String) throws -> ATIdentifier { .did(try did(name)) }

  /// Changes, carried out as the signed-in account.
  @discardableResult
  package func change(_ intents: ChangeIntent...) async throws -> OperationRun<Change<RequestedChanges>> {
    try await change(intents)
  }

  @discardableResult
  package func change(_ intents: [ChangeIntent]) async throws -> OperationRun<Change<RequestedChanges>> {
    let requests = intents.map { RequestedChange("\($0)", .success($0)) }
    let source = RequestedChanges(
      requests, as: ChangeTitle("change", "changed"), asking: ConfirmationRule())
    let run = try await run(Change(source))
    #expect(run.outcome.tally.kind == nil && run.outcome.tally.rows == intents.count)
    return run
  }
}

/// What an operation has said in a run, and how the run ended.
package struct OperationRun<Operation: KithOperation>: Sendable {
  package let outcome: Operation.Outcome
  package let rows: [Operation.Row]
  package let notes: [Note]
  package let questions: [Question]
  /// The number of calls of the workspace by method.
  package let calls: [String: Int]
}

/// Answers calls of some methods with an internal error, and passes on all others.
package struct FailingMethods: HTTPTransport {
  package let network: FaultyNetwork
  package let methods: Set<String>

  package init(network: FaultyNetwork, methods: Set<String>) {
    (self.network, self.methods) = (network, methods)
  }

  package var capabilities: TransportCapabilities { network.capabilities }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard methods.contains(RequestQuery(request).method) else { return try await network.send(request) }
    return .xrpcError(500, "InternalServerError", "Internal Server Error")
  }
}
