// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// A sign-out that leaves nothing of an account behind, against a sandbox in the process.
@Suite(.timeLimit(.minutes(1))) struct AccountMemoryTests {
  private let time = ManualClock(.skipping).timeSource()
  private let sandbox: SandboxTransport
  private let sessions: SessionDirectory
  private let store = InMemorySessionStore()
  private let known = InMemoryLastKnownRelationships()
  private let service: FollowRelationshipService
  private let memory: AccountMemory

  init() {
    sandbox = SandboxTransport(accounts: 20, time: time)
    let network = ServiceNetwork.sandbox(sandbox)
    sessions = network.sessions(in: store)
    service = FollowRelationshipService(
      source: AppViewRelationshipSource(client: network.appview),
      cachePolicy: .init(staleLifetime: .seconds(3_600)), lastKnown: known, time: time)
    memory = AccountMemory(journal: Journal(), relationships: service, cache: .inMemory())
  }

  private var alice: DID { sandbox.alice.did }
  private var jobs: JobManager { JobManager(journal: memory.journal ?? Journal()) }

  private func account(_ handle: String) throws -> DID { try #require(sandbox.account(handle)).did }

  private func signIn() async throws -> XRPCClient {
    sessions.client(of: try await sessions.signIn(.did(alice), password: sandbox.alice.password))
  }

  private func commit() throws -> RepositoryCommit {
    RepositoryCommit(cid: try CID(parsing: "zCommit1001"), revision: "1")
  }

  @Test func leavesNothingOfAnAccount() async throws {
    let pds = try await signIn()
    let journal = try #require(memory.journal)
    let writer = RelationshipWriter(account: alice, pds: pds, relationships: service, journal: journal)
    let (carol, niaj) = (try account("carol.test"), try account("niaj.test"))
    #expect(try await service.isFollowing(actor: alice, target: carol))
    try await writer.follow(niaj)
    let records = try #require(memory.cache?.records)
    #expect(await records.keep([.follow: []], of: alice, at: try commit()))
    await service.keepLastKnown()
    try #require(await !known.all.isEmpty)
    try #require(!service.overlay.isEmpty)
    try #require(try await !jobs.summaries(of: alice).isEmpty)

    guard case .revoked = try await sessions.signOut(alice, forgetting: memory) else {
      Issue.record("the session is not revoked")
      return
    }
    #expect(await store.accounts().isEmpty)
    #expect(await known.all.isEmpty)
    #expect(service.overlay.isEmpty)
    #expect(await records.collections(of: alice).isEmpty)
    #expect(try await jobs.summaries(of: alice).isEmpty)
    let calls = sandbox.calls
    #expect(try await service.isFollowing(actor: alice, target: carol))
    #expect(sandbox.calls == calls + 1)
    // Nothing is left to forget.
    guard case .hadEnded = try await sessions.signOut(alice, forgetting: memory) else {
      Issue.record("there was another session")
      return
    }
  }

  @Test func anUnfinishedJobKeepsItsAccountSignedIn() async throws {
    let engine = ChangeEngine(
      account: alice, pds: try await signIn(), journal: try #require(memory.journal))
    let request = ChangePlan.Request("niaj.test", .follow(try account("niaj.test")))
    let job = try #require(try await engine.submit([request], as: "follow").job)
    let error = await #expect(throws: JobError.self) {
      _ = try await sessions.signOut(alice, forgetting: memory)
    }
    #expect(error?.code == .wrongState && error?.job == job.id)
    #expect(await store.accounts() == [alice])
    #expect(try await jobs.unfinished(of: alice) == [job.id])
    // Nothing is claimed any longer.
    _ = try await sessions.signOut(alice, forgetting: memory, abandoningUnfinished: true)
    #expect(await store.accounts().isEmpty)
    #expect(try await jobs.summaries(of: alice).isEmpty)
  }

  @Test func aProposalIsForgotten() async throws {
    let engine = ChangeEngine(
      account: alice, pds: try await signIn(), journal: try #require(memory.journal))
    let request = ChangePlan.Request("niaj.test", .follow(try account("niaj.test")))
    try #require(try await engine.propose([request], as: "follow").job != nil)
    _ = try await sessions.signOut(alice, forgetting: memory)
    #expect(try await jobs.summaries(of: alice).isEmpty)
  }

  @Test func aJobThatIsRunStaysWithItsAccount() async throws {
    let engine = ChangeEngine(
      account: alice, pds: try await signIn(), journal: try #require(memory.journal))
    let request = ChangePlan.Request("niaj.test", .follow(try account("niaj.test")))
    let job = try #require(try await engine.submit([request], as: "follow").job)
    let lease = try await jobs.journal.lease(job.id, at: time.instant)
    let error = await #expect(throws: JobError.self) {
      _ = try await sessions.signOut(alice, forgetting: memory, abandoningUnfinished: true)
    }
    lease.release()
    #expect(error?.code == .held)
    #expect(await store.accounts() == [alice])
    #expect(try await jobs.summaries(of: alice).count == 1)
  }
}
