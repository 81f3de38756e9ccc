// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithLexicons
import KithRelationships
import KithSandbox
import KithWriting
import TestSupport
import Testing

/// An app that embeds the library in this process, signed in to a sandbox as the account that also uses
/// `kith`.
final class SandboxApp: Sendable {
  /// Credentials that last for the whole test.
  private struct Token: CredentialSource {
    let service: ServiceURL
    let secret: SessionToken
    func token() async throws -> SessionToken { secret }
    func token(after refused: SessionToken, isExpired: Bool) async throws -> SessionToken { secret }
  }

  let sandbox: Sandbox
  let account: DID
  /// A client of the sandbox, signed in as the account.
  let client: XRPCClient
  let time: TimeSource
  private let transport: CurlTransport
  /// Serves the sandbox as long as the app exists.
  private let run: SandboxRun

  init(_ run: SandboxRun, as name: String = "alice", time: TimeSource = .system) async throws {
    typealias SignIn = Com.Atproto.Server.CreateSession
    self.run = run
    sandbox = run.sandbox
    self.time = time
    transport = CurlTransport()
    let service = try ServiceURL(parsing: try #require(run.environment["ATP_PDS_HOST"]))
    var client = XRPCClient(service: service, transport: transport, time: time)
    let session = try await client.call(
      SignIn.self, NoParameters(), input: SignIn.Input(identifier: "\(name).test", password: "pw-\(name)"))
    client = client.signed(
      by: Token(service: service, secret: try #require(SessionToken(session.accessJwt))))
    self.client = client
    account = session.did
  }

  deinit { transport.close() }

  var repository: PDSRepository { PDSRepository(account: account, pds: client) }

  func writer(
    showing service: FollowRelationshipService? = nil, _ profiles: ProfileService? = nil,
    in journal: any JobStore = InMemoryJobStore()
  ) -> RelationshipWriter {
    RelationshipWriter(
      account: account, pds: client, relationships: service, profiles: profiles, journal: Journal(journal))
  }

  // MARK: Jobs

  /// Plans changes while holding the planning lease, and records the job.
  ///
  /// - Parameter look: called while the planning lease is held, before the job is recorded.
  /// - Returns: the planned changes, and the job if one is needed.
  func plan(
    _ changes: [ChangeIntent], in store: any JobStore, holding look: () async throws -> Void = {}
  ) async throws -> (plans: [PlannedChange], job: Job?) {
    let lease = try await store.leasePlanning(of: account, at: time.instant)
    defer { lease.release() }
    let plan = try await engine(store).plan(
      changes.map { ChangePlan.Request($0.account?.description ?? "", $0) })
    try await look()
    if plan.items.isEmpty { return (plan.changes, nil) }
    let draft = JobDraft(account: account, title: "app")
    return (plan.changes, try await JobManager(journal: store, time: time).add(draft, plan.items))
  }

  /// The change engine of the app.
  func engine(_ store: any JobStore, observers: ChangeObservers = ChangeObservers()) -> ChangeEngine {
    ChangeEngine(account: account, pds: client, journal: Journal(store), observers: observers)
  }

  func runner(_ store: any JobStore, writesPerCommit: Int = RecordWrite.mostPerCommit) -> JobRunner {
    JobRunner(
      repository: repository, store: store, time: time, options: .init(writesPerCommit: writesPerCommit))
  }

  // MARK: State of the sandbox

  /// The account of that name.
  func did(_ name: String) throws -> DID {
    let handle = try #require(Handle("\(name).test"))
    return try #require(sandbox.network.account(handle)).did
  }

  /// The list of that name, by its owner's records.
  func list(_ name: String, of owner: String = "grace") throws -> ATURI {
    let did = try did(owner)
    let records = sandbox.records(of: did, in: App.Bsky.Graph.List.nsid)
    let record = try #require(records.first { $0.value["name"]?.string == name })
    return ATURI(authority: .did(did), collection: App.Bsky.Graph.List.nsid, recordKey: record.key)
  }

  /// The subjects of the account's records in a collection, one per record, sorted.
  func subjects(_ collection: NSID) -> [String] {
    sandbox.records(of: account, in: collection).compactMap { $0.value["subject"]?.string }.sorted()
  }

  /// Everything that the account's changes can affect, without keys and dates of records: the subjects of
  /// each collection, own lists and their members, and the relationships with the cast.
  func graph() async throws -> [String] {
    typealias Graph = App.Bsky.Graph
    var lines: [String] = []
    for collection in [Graph.Follow.nsid, Graph.Block.nsid, Graph.Listblock.nsid] {
      lines += subjects(collection).map { "\(collection) \($0)" }
    }
    let lists = sandbox.records(of: account, in: Graph.List.nsid)
    let names = Dictionary(lists.map { ($0.key.description, $0.value["name"]?.string ?? "") }) { $1 }
    lines += names.values.map { "list \($0)" }.sorted()
    lines += sandbox.records(of: account, in: Graph.Listitem.nsid).map { _, item in
      let list = item["list"]?.string.flatMap(ATURI.init)?.recordKey?.description ?? ""
      return "member of \(names[list] ?? "a list that is gone"): \(item["subject"]?.string ?? "")"
    }.sorted()
    let cast = sandbox.network.accounts.prefix(14).map { ATIdentifier.did($0.did) }
    typealias Profiles = App.Bsky.Actor.GetProfiles
    let answer = try await client.query(Profiles.self, Profiles.Parameters(actors: Array(cast)))
    lines += answer.profiles.map { profile in
      let viewer = profile.viewer
      return "\(profile.handle) muted \(viewer?.muted == true), reposts \(viewer?.mutedOnlyReposts == true), "
        + "quotes \(viewer?.mutedOnlyQuoteposts == true), by list \(viewer?.mutedByList != nil), "
        + "blocked \(viewer?.blocking != nil), by list \(viewer?.blockingByList != nil), "
        + "followed \(viewer?.following != nil)"
    }
    return lines
  }
}
