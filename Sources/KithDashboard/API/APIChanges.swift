// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWriting

/// A change that is asked for under `/api/proposals`: it is planned, shown, and waits for a yes to exactly that plan.
struct ProposalRequest: Decodable {
  /// What is done about each account.
  enum Kind: String, Decodable, CaseIterable {
    case follow, unfollow, block, unblock, mute, unmute

    var change: ChangeAccounts.Kind {
      switch self {
      case .follow: .follow()
      case .unfollow: .unfollow()
      case .block: .block()
      case .unblock: .unblock
      case .mute: .mute()
      case .unmute: .unmute()
      }
    }
  }

  /// The most accounts of a plan.
  static let mostAccounts = 100_000

  let kind: Kind
  /// Handles and DIDs.
  let accounts: [String]
  /// After how many seconds it is undone; absent for never.
  let seconds: Int?
  /// The signed-in account; absent for the current one.
  let account: String?

  init(_ body: [UInt8]) throws(DashboardError) {
    do { self = try JSONCoding.decode(Self.self, from: body) } catch {
      let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid(
        "body", "it has to be an object with kind (\(kinds)) and accounts (an array of handles and DIDs)")
    }
    guard (1...Self.mostAccounts).contains(accounts.count) else {
      throw .invalid("accounts", "1 to \(Self.mostAccounts) of them are needed")
    }
    guard (seconds ?? 60) >= 60 else { throw .invalid("seconds", "60 or more are needed") }
  }

  var operation: Change<ChangeAccounts> {
    var change = Change(
      ChangeAccounts(kind.change, AccountChoice(TargetStream(origins: accounts.map { .argument($0) }))))
    change.mode = .propose
    change.lifetime = seconds.map { .seconds($0) }
    return change
  }
}

/// What is done about a job under `/api/jobs/{job}/{action}`.
enum JobAction: String, CaseIterable {
  case approve, reject, resume, retry, pause, cancel, undo

  /// Whether it sends changes, and goes on in the server.
  var runs: Bool {
    switch self {
    case .approve, .resume, .retry, .undo: true
    case .reject, .pause, .cancel: false
    }
  }
}

/// What a POST about a job brings.
struct JobOrder {
  let job: JobID
  let action: JobAction
  /// What is approved; nil for whatever was proposed.
  let digest: PlanDigest?
  /// Whether questions are answered with yes.
  let isConfirmed: Bool

  private struct Body: Decodable {
    let digest: String?
    let confirmed: Bool?
  }

  /// Reads the order from the parts of the path, and from a form or an object.
  init(_ visit: Visit) throws(DashboardError) {
    guard let job = JobID(visit.parts["job"] ?? "") else {
      throw .invalid(visit.parts["job"] ?? "", "this is not the number of a job")
    }
    guard let action = JobAction(rawValue: visit.parts["action"] ?? "") else {
      throw DashboardError(.noSuchPage, visit.request.path, "there is no such action")
    }
    let body = try? JSONCoding.decode(Body.self, from: visit.request.body)
    let digest = visit.form?["digest"] ?? body?.digest
    self.digest = digest.flatMap { PlanDigest($0) }
    guard digest == nil || self.digest != nil else {
      throw .invalid("digest", "these are not the 64 hexadecimal digits of a plan")
    }
    // What is approved is what was shown.
    guard action != .approve || self.digest != nil else {
      throw .invalid("digest", "it says which plan is approved, and is needed")
    }
    (self.job, self.action) = (job, action)
    isConfirmed = visit.form?["confirmed"] == "yes" || body?.confirmed == true
  }
}

/// How an order about a job went so far: one that sends changes goes on in the server.
enum JobAnswer: Sendable {
  /// The job runs.
  case running(JobID)
  /// There is nothing more to do.
  case done(Ending)
  /// It has to be confirmed first.
  case asks(Question)
}

extension Dashboard {
  /// Carries out an order. What sends changes is begun, and goes on when the page is closed.
  ///
  /// - Throws: what the operation throws before it has begun.
  func carryOut(_ order: JobOrder, in workspace: Workspace) async throws -> JobAnswer {
    switch order.action {
    case .approve:
      return try await begin(ApproveJob(order.job, digest: order.digest), order, in: workspace)
    case .resume: return try await begin(RunJob(order.job), order, in: workspace)
    case .retry: return try await begin(RunJob(order.job, .retryFailed), order, in: workspace)
    case .undo: return try await begin(UndoJob(order.job, asking: true), order, in: workspace)
    case .reject: return try await end(RejectJob(order.job), in: workspace)
    case .pause: return try await end(StopJob(order.job, finally: false), in: workspace)
    case .cancel: return try await end(StopJob(order.job, finally: true), in: workspace)
    }
  }

  private func end(_ operation: some KithOperation, in workspace: Workspace) async throws -> JobAnswer {
    let run = try await GatheredRun(operation, in: workspace, most: 1)
    events.publish(DashboardEvent(.jobs))
    return .done(run.outcome.ending)
  }

  /// Begins an operation that sends changes, and returns as soon as it is known how it goes on.
  private func begin(
    _ operation: some KithOperation, _ order: JobOrder, in workspace: Workspace
  ) async throws -> JobAnswer {
    let (answers, answer) = AsyncThrowingStream.makeStream(of: JobAnswer.self)
    jobs.begin { [events] in
      defer { events.publish(DashboardEvent(.jobs)) }
      do { answer.yield(.done(try await Self.run(operation, order, in: workspace, events, answer))) } catch {
        answer.finish(throwing: error)
      }
    }
    for try await first in answers { return first }
    throw CancellationError()
  }

  private static func run<Operation: KithOperation>(
    _ operation: Operation, _ order: JobOrder, in workspace: Workspace, _ events: EventHub,
    _ answer: AsyncThrowingStream<JobAnswer, any Error>.Continuation
  ) async throws -> Ending {
    let reporter = Reporter<Operation.Row>(
      rows: { _ in },
      progress: { progress in
        guard case .job(let progress) = progress else { return }
        answer.yield(.running(progress.job))
        events.publish(DashboardEvent(.progress, progress.fields))
      },
      ask: { question in
        if !order.isConfirmed { answer.yield(.asks(question)) }
        return order.isConfirmed
      })
    return try await workspace.run(operation, reporter).outcome.ending
  }
}

extension JobProgress {
  fileprivate var fields: [OutputField] {
    [
      OutputField("job", .integer(Int(job.number))), OutputField("total", .integer(counts.total)),
      OutputField("done", .integer(counts[.done])), OutputField("failed", .integer(counts[.failed])),
      OutputField("pending", .integer(counts[.pending] + counts[.inDoubt])), OutputField("eta", .text(eta)),
      OutputField("waitsUntil", .text(waitsUntil)),
    ]
  }
}
