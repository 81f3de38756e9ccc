// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships
import KithWriting

/// Finds out how an account is related to others.
///
/// Rows come in the order of the targets: first the named ones, then those of the listings.
public struct CheckRelationships: EstimatedOperation {
  public static let name = "checkRelationships"

  /// How the answers for several targets are combined.
  public enum Quantifier: Sendable {
    /// The predicate holds for every target.
    case all
    /// It holds for at least one of them.
    case any
  }

  /// The account.
  public var actor: ATIdentifier
  /// The targets that are named.
  public var targets: TargetStream
  /// The handles among the targets that are known before the targets are read: as many as fit are resolved in the
  /// actor's call.
  public var companions: [Handle] = []
  /// Listings with further targets.
  public var listings: [ListingQuery] = []
  /// The graphs of follows that are looked at: a row for each target in each of them.
  public var graphs: [FollowGraph] = [.bluesky]
  /// What is asked about each target; nil for nothing.
  public var predicate: AccountPredicate?
  public var quantifier = Quantifier.all
  /// Which accounts are verified to exist.
  public var verification = FollowRelationshipService.Verification.off
  /// Whether the rows are read, or only the outcome.
  public var wantsRows = true
  /// Whether to look up names that no listing contains.
  public var wantsNames = false
  /// Whether names that are not valid are left out.
  public var skipsInvalid = false
  /// Whether rows say whether accounts are friends, or wait for an answer.
  public var wantsRequests = false
  /// Whether the first failed lookup ends the run.
  public var failsFast = false

  public init(of actor: ATIdentifier, targets: TargetStream) {
    self.actor = actor
    self.targets = targets
  }

  /// How a check ended.
  public struct Outcome: OutcomeOfRows {
    /// What the answers amount to.
    public fileprivate(set) var verdict: CheckVerdict
    /// The number of answers of each kind.
    public fileprivate(set) var summary = CheckSummary()
    /// How the rows ended; also interrupted if accounts of a listing may be missing because of an error.
    public fileprivate(set) var rows = RowsOutcome()

    public var ending: Ending { Ending(rows, failure: verdict.failure) }
    public var fields: [OutputField] {
      [OutputField("rows", .integer(rows.count)), OutputField("answer", .text(verdict.answer.code))]
        + summary.counts.map { OutputField($0.field, .integer($0.value)) }
        + [OutputField("stopsEarly", .bool(summary.stopsEarly))]
    }
  }

  /// Several concurrent calls of 25.
  private static let mostOpen = 8 * AccountViews.batchSize

  /// - Throws: ``OperationError`` `mutesOfAnother` if the predicate needs the mutes of another account; `SessionError`
  ///   if it needs those of an account that is not signed in.
  public func run(
    in workspace: Workspace, _ report: Reporter<RelationshipRow>
  ) async throws -> Outcome {
    let viewer = try await viewer(workspace)
    let invalid = InvalidNames(skipsInvalid ? .skipped : .shown, report.note)
    // How many accounts a listing has is known at its end.
    let counting = listings.isEmpty ? report.expect(targets) : nil
    defer { counting?.cancel() }
    var pass = Pass(
      of: self, in: workspace, invalid: invalid,
      names: wantsNames && wantsRows ? RowsAwaitingNames(workspace, report.note) : nil, note: report.note)
    if wantsRows, let viewer {
      pass.mutes = try await workspace.confirmed(
        await workspace.timedEdges(of: viewer.did).mutes, of: viewer)
    }
    let ended = PosixMutex<[ListingReport]>([])
    let unreadable = UnreadableRecords(.member, report.note)
    defer { unreadable.finish() }
    let delivered = await report.deliver { rows in
      do {
        let actor = try await workspace.cachedIdentities.did(of: actor, with: companions)
        let account = listings.isEmpty ? nil : try? await workspace.accountIfAny()
        let sources =
          [.names(invalid.filter(targets).asked(about: actor))]
          + listings.map { workspace.source(of: $0, as: account) }
        let questions = workspace.selector(usingCache: true).questions(sources) { event in
          switch event {
          case .listed(let listing, let coverage):
            ended.withLock { $0.append(ListingReport(listing, coverage)) }
          case .unreadable(let record): unreadable.add(record)
          }
        }
        var answers = workspace.relationships(mutesOf: viewer).answers(
          of: actor, to: questions,
          // Only a slow source is worth that a batch waits; the estimate assumes the same.
          linger: targets.isSlow ? .seconds(1) : .zero, verification: verification
        ).makeAsyncIterator()
        let inGraphs = AnswersInGraphs(
          graphs, about: actor, withRequests: asksRequests, in: workspace)
        while !pass.outcome.summary.stopsEarly, let ready = try await answers.nextAnswers() {
          if let inGraphs {
            for some in ready.parts(of: AnswersInGraphs.atOnce) {
              try await pass.add(try await inGraphs.answers(like: some), about: actor, to: &rows)
            }
          } else {
            try await pass.add(ready, about: actor, to: &rows)
          }
          try await pass.pause(&rows)
        }
        await inGraphs?.reportRequests(report.note)
        if let account, pass.outcome.summary.rows == 0 {
          try await workspace.checkLists(of: sources, ownedBy: account)
        }
        try await pass.resolveOpen()
      } catch {
        // Rows that wait for names come without.
        if !rows.isClosed { try await pass.deliverNamed(to: &rows) }
        throw error
      }
      try await pass.deliverNamed(to: &rows)
      if wantsRows { try Task.checkCancellation() }
    }
    var outcome = pass.outcome
    outcome.rows = delivered
    try invalid.finish()
    for var listing in ended.withLock(\.self) {
      outcome.summary.listings.append(listing.coverage)
      listing.owner = (try? await workspace.accountIfAny())?.handle(in: listing.listing)
      report.note(.listed(listing))
      // An undecided account is not a "no", and neither is one that cannot be read.
      outcome.rows = outcome.rows.marked(interruptedBy: listing.coverage.doubt)
    }
    return outcome
  }

  /// What a check does with its answers.
  private struct Pass {
    private let check: CheckRelationships
    private let workspace: Workspace
    private let invalid: InvalidNames
    /// Rows that wait for names; nil if names are not wanted.
    private var names: RowsAwaitingNames?
    /// What is known about mutes besides the answers.
    var mutes: [DID: TimedEdge] = [:]
    /// How many unknown handles were looked up in the names of earlier runs, and the limit.
    private var explanations = 0
    private static var mostExplained: Int { 100 }
    private let note: @Sendable (Note) -> Void
    /// Whether it was said that mutes are unknown.
    private var lacksMutes = false
    private(set) var outcome: Outcome

    init(
      of check: CheckRelationships, in workspace: Workspace, invalid: InvalidNames, names: RowsAwaitingNames?,
      note: @escaping @Sendable (Note) -> Void
    ) {
      self.check = check
      self.workspace = workspace
      self.invalid = invalid
      self.names = names
      self.note = note
      outcome = Outcome(verdict: CheckVerdict(predicate: check.predicate, quantifier: check.quantifier))
    }

    /// Adds answers, until a failed lookup ends the run: those about a target in each graph, then those about the next.
    ///
    /// Most wait for nothing: an asynchronous call for each would take longer than the rest.
    mutating func add(
      _ answers: [RelationshipAnswer], about actor: DID, to rows: inout RowBatch<RelationshipRow>
    ) async throws {
      for place in answers.indices {
        if outcome.summary.stopsEarly { return }
        let graph = check.graphs[place % check.graphs.count]
        count(answers[place])
        if check.wantsRows {
          if case .notFound = answers[place].state, answers[place].target == nil {
            add(try await explained(answers[place]), in: graph, about: actor, to: &rows)
          } else {
            add(answers[place], in: graph, about: actor, to: &rows)
          }
        }
        if outcome.verdict.open.count >= CheckRelationships.mostOpen { try await resolveOpen() }
        if check.wantsNames {
          if names?.isFull == true { try await deliverNamed(to: &rows) }
        } else if rows.isFull {
          try await rows.flush()
        }
      }
    }

    private mutating func add(
      _ answer: RelationshipAnswer, in graph: FollowGraph, about actor: DID,
      to rows: inout RowBatch<RelationshipRow>
    ) {
      let mute = mutes.isEmpty || graph != .bluesky ? nil : answer.target.flatMap { mutes[$0] }
      // Made where it goes, because a constant would be copied, and so are `names` if they are compared with nil.
      if check.wantsNames {
        names?.append(RelationshipRow(actor: actor, answer: answer, mute: mute, graph: graph))
      } else {
        rows.add(RelationshipRow(actor: actor, answer: answer, mute: mute, graph: graph))
      }
    }

    private mutating func count(_ answer: RelationshipAnswer) {
      outcome.verdict.add(answer)
      outcome.summary.add(answer)
      switch answer.state {
      case .known(let info):
        guard info.lacksMutes, !lacksMutes, let fault = info.mutesFault else { return }
        lacksMutes = true
        note(.mutesNotLearned(fault))
      case .failed(let fault):
        if fault.code == .invalidInput, let input = fault.underlying as? InputError {
          invalid.add(.invalid(input))
        }
        if check.failsFast { outcome.summary.stopsEarly = true }
      case .itself, .notFound: break
      }
    }

    /// An answer that names the account which had the handle that no account has.
    private mutating func explained(_ answer: RelationshipAnswer) async throws -> RelationshipAnswer {
      guard case .notFound(let reason) = answer.state, explanations < Self.mostExplained,
        case .handle(let handle)? = answer.input.flatMap({ try? ActorInput(parsing: $0).identifier })
      else { return answer }
      explanations += 1
      let owner = try await workspace.formerOwners(of: [handle])[handle]
      return owner.map { answer.notFound(because: "\(reason); \($0)") } ?? answer
    }

    /// Delivers what there is while the next answer is awaited.
    mutating func pause(_ rows: inout RowBatch<RelationshipRow>) async throws {
      if check.targets.areTyped { try await deliverNamed(to: &rows) }
      try await rows.flush()
    }

    /// Delivers the rows that wait for names.
    mutating func deliverNamed(to rows: inout RowBatch<RelationshipRow>) async throws {
      for row in await names?.removeAll() ?? [] { try await rows.append(row) }
    }

    /// Finds out whether the AppView shows the accounts whose missing edges would decide.
    mutating func resolveOpen() async throws {
      let accounts = Array(Set(outcome.verdict.open.compactMap(\.target)))
      guard !accounts.isEmpty else { return }
      outcome.verdict.resolve(try await AccountViews(client: workspace.appview).outcomes(of: accounts))
    }
  }

  /// The signed-in account, if it is the actor and its mutes are needed.
  private func viewer(_ workspace: Workspace) async throws -> AuthorizedAccount? {
    let asksMutes = predicate?.needs.mutes.isEmpty == false
    guard wantsRows || asksMutes else { return nil }
    do {
      if let account = try await workspace.accountIfAny(), account.isNamed(actor) { return account }
    } catch  where !asksMutes && !(error is CancellationError) {
      // Everything else is public and does not depend on the sessions.
      return nil
    }
    if asksMutes { throw OperationError.mutesOfAnother(actor) }
    return nil
  }

  // MARK: Cost

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    let viewer = try await viewer(workspace)
    var cost = CheckCost(
      actor: actor, companions: companions, verification: verification, wantsNames: wantsNames,
      tellsMutes: viewer != nil, predicate: predicate)
    let invalid = InvalidNames(.shown, note)
    let stream = if case .did(let did) = actor { targets.asked(about: did) } else { targets }
    for try await questions in stream {
      for question in questions {
        if case .unreadable(let error) = question.target { invalid.add(.invalid(error)) }
        cost.add(question.target)
      }
    }
    try invalid.finish()
    let counts = try await NetworkCounts(client: workspace.appview).entries(of: listings.map(\.listing))
    for (query, count) in zip(listings, counts) {
      cost.add(query.listing, count: count, needs: query.predicate?.needs ?? AccountPredicate.Needs())
    }
    if let changes = workspace.recentChanges() { cost.addOwnChanges((try? await changes.count()) ?? 0) }
    var plan = cost.plan(isSlow: targets.isSlow, concurrency: workspace.concurrency)
    let others = graphs.filter { $0 != .bluesky }
    if !others.isEmpty { plan.addGraphs(others, targets: plan.targets) }
    if asksRequests { plan.addFriendRecords(targets: plan.targets, each: 2) }
    return plan
  }

  private var asksRequests: Bool { wantsRequests || predicate?.needs.friendships.isEmpty == false }
}

extension ListingCoverage {
  /// Why accounts may be missing from the listing because of an error; nil if none are.
  public var doubt: (any Error)? { undecided + unreadable > 0 ? fault : nil }
}
