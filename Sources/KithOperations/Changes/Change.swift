// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithPosts
public import KithRelationships
public import KithWriting

/// Changes relationships, posts, lists or the profile of the signed-in account: finds out what to change, plans it, asks
/// if that is wanted, uploads pictures, runs the job, and reports what became of each request, in their order.
///
/// Nothing leaves this machine before the answer, and what is planned is journaled before anything is sent, so a run that
/// ends early is continued with ``RunJob``.
public struct Change<Source: ChangeSource>: EstimatedOperation {
  public static var name: String { Source.name }

  /// What is to be changed.
  public var source: Source
  /// What becomes of the plan.
  public var mode = ChangeMode.carryOut
  /// Which plans are asked about.
  public var confirmation: ConfirmationRule
  /// Whether any plan is carried out without a question.
  public var isConfirmed = false
  /// The time after which the changes are undone; nil if they are permanent.
  public var lifetime: Duration?
  /// How the job is run, and how much of the write budget it may use.
  public var options = JobOptions()
  /// How long consecutive failures are tolerated if there is only one step to send, because a person is likely to wait
  /// for it; nil for as long as by the options.
  public var patienceForOne: Duration?

  public init(_ source: Source) {
    self.source = source
    confirmation = source.confirmation
  }

  /// Questions are part of the preparation, of the planning, and of the end.
  ///
  /// - Throws: what the source throws; ``OperationError`` `interrupted` if the task is cancelled before anything was
  ///   journaled; ``UnrecordedChangeError`` if the journal fails before; what `ChangeEngine` throws.
  public func run(in workspace: Workspace, _ report: Reporter<ChangeRow>) async throws -> ChangeRunOutcome {
    let account = try await workspace.account()
    let (works, starting) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
    async let _: Void = Self.runTogether(works)
    defer { starting.finish() }
    let preparation = ChangePreparation(
      workspace: workspace, account: account, isPreview: mode == .preview,
      asks: mode == .carryOut && !isConfirmed, limit: options.limit,
      report: report, start: { starting.yield($0) })
    do {
      var prepared = try await source.prepare(preparation)
      var asks = preparation.asks
      while true {
        do {
          var outcome = try await run(prepared, preparation, asking: asks)
          if mode == .carryOut { try await prepared.conclude() }
          outcome.fault = prepared.fault
          return outcome
        } catch let revision as PreparedChanges.Revision {
          prepared = try await revision.changes()
          if revision.isAnswered { asks = false }
        }
      }
    } catch let error as OperationError where error.code == .declined {
      return ChangeRunOutcome(source.title, account, isDeclined: true)
    }
  }

  /// What it would cost, from names and counts alone.
  ///
  /// - Throws: as ``run(in:_:)``.
  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    var estimate = try await ChangeEstimate(in: workspace, for: options, note)
    try await source.add(to: &estimate)
    return try await estimate.plan()
  }

  private static func runTogether(_ works: AsyncStream<@Sendable () async -> Void>) async {
    await withDiscardingTaskGroup { group in
      for await work in works { group.addTask { await work() } }
    }
  }

  private func run(
    _ prepared: PreparedChanges, _ preparation: ChangePreparation, asking asks: Bool
  ) async throws -> ChangeRunOutcome {
    var options = options
    options.limit = prepared.limit ?? options.limit
    let run = ChangeRun(
      prepared: prepared, title: prepared.title ?? source.title, rule: confirmation, asks: asks,
      lifetime: lifetime, options: options, patienceForOne: patienceForOne, workspace: preparation.workspace,
      report: preparation.report)
    switch mode {
    case .carryOut: return try await run.carryOut(as: preparation.account)
    case .preview: return try await run.preview(as: preparation.account)
    case .propose: return try await run.propose(as: preparation.account)
    }
  }
}

/// What becomes of a plan.
public enum ChangeMode: Sendable, Hashable {
  /// It is carried out, after a yes where its rule asks.
  case carryOut
  /// It is only shown.
  case preview
  /// It is journaled, and waits for ``ApproveJob`` in this process or another one: a day at most.
  case propose
}

/// What became of a change.
public struct ChangeRunOutcome: OperationOutcome {
  /// What the change is called.
  public let title: ChangeTitle
  /// The account whose relationships change.
  public let account: AuthorizedAccount
  /// The rows by state.
  public internal(set) var tally = ChangeTally()
  /// Whether the answer was no, so that nothing was changed.
  public internal(set) var isDeclined = false
  /// The job; nil if there was nothing to send.
  public internal(set) var job: Job?
  /// How its run ended; nil if there was none.
  public internal(set) var end: JobEnd?
  /// Whether the job has done what any of the rows asks for.
  public internal(set) var hasDone = false
  /// Whether a record was replaced on a server that does not compare commits: a change of another app right before that
  /// could be lost.
  public internal(set) var replacedUncompared = false
  /// What a preview has found; nil for a change that was carried out.
  public internal(set) var preview: Preview?
  /// The plan that waits for a yes, to approve exactly what its rows show; nil for any other change, and if there is
  /// nothing to change.
  public internal(set) var proposed: PlanDigest?
  /// Why some of what was to be changed is unknown; nil if all was learned.
  public internal(set) var fault: (any Error)?
  /// Why the caller stopped reading rows; the job went on. Nil if it took all.
  public internal(set) var interruption: (any Error)?

  /// What a preview has found.
  public struct Preview: Sendable, Hashable {
    /// The number of requests that would be sent.
    public internal(set) var affected = 0
    /// The points of the write budget that they take.
    public internal(set) var points = 0
    /// How long the budget takes to allow them; nil if it never does.
    public internal(set) var wait: Duration?
    /// The limit that this takes into account.
    public internal(set) var limit = WriteLimit()
    /// What is unusual about this number of changes; nil if nothing is.
    public internal(set) var warning: MassChangeWarning?
  }

  init(_ title: ChangeTitle, _ account: AuthorizedAccount, isDeclined: Bool = false) {
    (self.title, self.account, self.isDeclined) = (title, account, isDeclined)
  }

  public var ending: Ending {
    if isDeclined { return .declined }
    let failure = FailureKind.mostSevere(tally.kind, fault.map { FailureKind(any: $0) })
    if interruption != nil { return .interrupted(.closed) }
    return end.map { Ending($0, failure: failure) } ?? Ending(failure: failure)
  }

  public var fields: [OutputField] {
    [
      OutputField("title", .string(title.name)), OutputField("account", .text(account.did)),
      OutputField("rows", .integer(tally.rows)),
      OutputField(
        "states",
        .object(
          ChangeRow.State.allCases.compactMap { state in
            tally.counts[state].map { OutputField(state.rawValue, .integer($0)) }
          })),
      OutputField("job", job.map { .job($0.id) } ?? .null), OutputField("until", .text(job?.until)),
      OutputField("digest", .text(proposed)), OutputField("affected", .number(preview?.affected)),
      OutputField("points", .number(preview?.points)),
      OutputField("waitMilliseconds", .milliseconds(preview?.wait)),
      OutputField("replacedUncompared", .bool(replacedUncompared)), OutputField("fault", .cause(fault)),
    ]
  }
}

extension FailureKind {
  fileprivate static func mostSevere(_ one: FailureKind?, _ other: FailureKind?) -> FailureKind? {
    one.map { $0.orMoreSevere(other) } ?? other
  }
}

extension ChangeEstimate {
  /// Creates an empty estimate of a change of the signed-in account.
  ///
  /// - Throws: `SessionError` if no account is signed in.
  init(
    in workspace: Workspace, for options: JobOptions, _ note: @escaping @Sendable (Note) -> Void
  ) async throws {
    self.init(
      in: workspace, as: try await workspace.account(), within: options.limitForEstimates,
      writesPerCommit: options.writesPerCommit, note)
  }
}

extension JobOptions {
  /// The limit that estimates take into account.
  var limitForEstimates: WriteLimit {
    var limit = limit ?? WriteLimit()
    limit.ignoresReports = ignoresReports
    return limit
  }
}
