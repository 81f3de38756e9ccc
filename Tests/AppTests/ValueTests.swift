// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting
import Testing

/// An app's tests make the values that its code is given.
@Suite struct ValueTests {
  private let alice: DID
  private let bob: DID

  init() throws {
    alice = try DID(parsing: "did:web:alice.test")
    bob = try DID(parsing: "did:web:bob.test")
  }

  @Test func makesErrors() throws {
    let method = try NSID(parsing: "app.bsky.graph.getRelationships")
    let call = XRPCError(
      .rateLimited, method: method, service: "https://appview.test", status: 429, message: "slow down",
      retryAfter: .seconds(3))
    #expect(call.isTransient)
    let lookup = RelationshipError(.rateLimited, detail: "\(call)", retryAfter: .seconds(3), underlying: call)
    let answer = RelationshipAnswer(bob, .failed(lookup))
    #expect(answer.target == bob && answer.info == nil && answer.state == .failed(lookup))
    let failure = ChangeFailure.refused(ChangeRefusal(.oneself, description: "this is you"))
    #expect(!failure.isInDoubt)
    #expect(JobError(.notFound, job: JobID(number: 3), detail: "there is no job 3").job?.number == 3)
  }

  @Test func makesAListing() async throws {
    let fault = RelationshipError(.networkError, detail: "offline")
    let views = [AccountView(bob, displayName: "Bob")]
    let coverage = ListingCoverage(counted: 3, listed: 1)
    var accounts = AccountListing(
      .followers(of: .did(alice)), of: views, coverage: coverage, fault: fault
    ).makeAsyncIterator()
    #expect(try await accounts.next() == views[0] && accounts.coverage.missing == 2)
    await #expect(throws: fault) { try await accounts.next() }
    accounts = AccountListing(.follows(of: .did(alice)), of: views).makeAsyncIterator()
    #expect(try await accounts.next() == views[0])
    #expect(try await accounts.next() == nil && accounts.coverage.missing == 0 && accounts.isAtEnd)
  }

  @Test func makesAPlan() throws {
    let requests = [bob, alice, bob].map { ChangePlan.Request("\($0)", .follow($0)) }
    let plan = ChangePlan(of: alice, requests + [.init("bob.test", .unblock(bob))], following: 7)
    #expect(plan.affected == 1 && plan.points == 3 && plan.following == 7 && plan.warning == nil)
    #expect(plan.changes.map { $0.refusal?.code } == [nil, .oneself, nil, nil])
    #expect(plan.changes.map(\.holds) == [false, false, true, true])
  }

  @Test func makesAJob() throws {
    let now = try Datetime(parsing: "2026-01-01T00:00:00.000Z")
    var job = Job(id: JobID(number: 1), account: alice, title: "follow", state: .running, createdAt: now)
    job.until = now
    let counts = JobCounts([.done: 3, .pending: 2], pointsLeft: 6)
    let summary = JobSummary(job: job, counts: counts, eta: now)
    #expect(summary.counts.total == 5 && summary.counts.left == 2 && summary.counts.pointsLeft == 6)
    let progress = JobProgress(job: job.id, counts: counts, wait: .budget, waitsUntil: now)
    #expect(progress.counts[.done] == 3 && progress.outcomes.isEmpty)
    let end = JobEnd.stopped(JobStop(.rateLimited, detail: "the server asked to slow down", until: now))
    #expect(end != .done && ChangeOutcome(.follow(bob), .done).ending == .done)
  }
}
