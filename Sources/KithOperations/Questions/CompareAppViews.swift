// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithRelationships

/// Finds the relationships about which two AppViews disagree, and asks the repositories which of them is right.
///
/// Both show that an edge exists or not; different records of the same edge do not count (Q16). Lists by which
/// accounts are blocked are compared, but not settled: that takes reading the lists of strangers.
public struct CompareAppViews: EstimatedOperation {
  public static let name = "compareAppViews"

  /// The accounts whose relationships with the actor are compared.
  public enum Targets: Sendable {
    /// Accounts that are named, and those of listings.
    case accounts(TargetStream, [ListingQuery])
    /// Those that the actor follows or blocks by its own records, and those that either AppView lists as its followers:
    /// of each the newest ``CompareAppViews/mostOfAKind``.
    case graph
  }

  /// How many accounts of a kind make up the graph of an account.
  public static let mostOfAKind = 3_000

  public var actor: ATIdentifier
  /// The AppView that is compared with that of the workspace.
  public var other: ServiceURL
  public var targets: Targets

  public init(of actor: ATIdentifier, with other: ServiceURL, about targets: Targets) {
    (self.actor, self.other, self.targets) = (actor, other, targets)
  }

  /// What was compared.
  public struct Outcome: OutcomeOfRows {
    /// The AppView of the workspace.
    public let first: ServiceURL
    /// The one that it was compared with.
    public let other: ServiceURL
    /// Accounts about which both AppViews answered.
    public fileprivate(set) var compared = 0
    /// Whether the graph has more accounts than were compared.
    public fileprivate(set) var isPart = false
    /// The differences about which the AppView of the workspace is right.
    public fileprivate(set) var firstIsRight = 0
    /// Those about which the other one is right.
    public fileprivate(set) var otherIsRight = 0
    /// Those that no repository settled.
    public fileprivate(set) var unsettled = 0
    /// Names that lead to no account.
    public fileprivate(set) var unresolved = 0
    /// The first of them, and why.
    public fileprivate(set) var firstUnresolved: (name: String, reason: String)?
    /// The accounts about which an AppView did not answer.
    public fileprivate(set) var failed = 0
    /// The AppViews that do not know the account, so they show no relationship of it: an error for each.
    public fileprivate(set) var strangers: [OperationError] = []
    /// The first error of an AppView, and which one it was.
    public fileprivate(set) var fault: (appview: ServiceURL, error: any Error)?
    /// How the rows ended.
    public fileprivate(set) var rows = RowsOutcome()

    fileprivate mutating func add(_ row: AppViewDifferenceRow) {
      switch row.repository {
      case true?: row.isShownByOther ? (otherIsRight += 1) : (firstIsRight += 1)
      case false?: row.isShownByOther ? (firstIsRight += 1) : (otherIsRight += 1)
      case nil: unsettled += 1
      }
    }

    fileprivate mutating func add(unresolved name: String, _ reason: String) {
      unresolved += 1
      firstUnresolved = firstUnresolved ?? (name, reason)
    }

    fileprivate mutating func add(_ error: any Error, of appview: ServiceURL) {
      failed += 1
      fault = fault ?? (appview, error)
    }

    fileprivate mutating func add(stranger appview: ServiceURL, to account: DID) {
      let error = OperationError.unknownToAppView(account, appview)
      if !strangers.contains(where: { $0.subject == error.subject }) { strangers.append(error) }
    }

    public var ending: Ending {
      let failure: FailureKind? =
        if let fault {
          FailureKind(any: fault.error, otherwise: .unavailable)
        } else {
          strangers.isEmpty ? (unresolved > 0 ? .notFound : nil) : .unavailable
        }
      return Ending(rows, failure: failure)
    }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "first": .text(first),
        "other": .text(other),
        "compared": .integer(compared),
        "isPart": .bool(isPart),
        "firstIsRight": .integer(firstIsRight),
        "otherIsRight": .integer(otherIsRight),
        "unsettled": .integer(unsettled),
        "unresolved": .integer(unresolved),
        "failed": .integer(failed),
        "strangers": .array(strangers.map { .cause($0) }),
        "fault": .cause(fault?.error),
      ])
    }
  }

  /// Accounts that are compared together: eight parallel calls.
  private static let batchSize = 8 * AppViewRelationshipSource.targetsPerCall
  /// Repositories that are asked at once.
  private static let lanes = 8

  /// - Throws: ``OperationError`` `sameAppView`, `invalidNames`.
  ///   An AppView that does not know an account that the directory has shows no relationship of it.
  public func run(
    in workspace: Workspace, _ report: Reporter<AppViewDifferenceRow>
  ) async throws -> Outcome {
    guard other != workspace.appview.service else { throw OperationError.sameAppView(other) }
    var outcome = Outcome(first: workspace.appview.service, other: other)
    let invalid = InvalidNames(.shown, report.note)
    let doubt = PosixMutex<(any Error)?>(nil)
    outcome.rows = await report.deliver { rows in
      let owner = try await workspace.cachedIdentities.did(of: actor)
      var pass = Pass(of: owner, in: workspace, with: workspace.network.client(of: other))
      switch targets {
      case .accounts(let names, let listings):
        let account = listings.isEmpty ? nil : try? await workspace.accountIfAny()
        let sources =
          [.names(invalid.filter(names).asked(about: owner))]
          + listings.map { workspace.source(of: $0, as: account) }
        let questions = workspace.selector(usingCache: true).questions(sources) { event in
          guard case .listed(let listing, let coverage) = event else { return }
          report.note(.listed(ListingReport(listing, coverage)))
          doubt.withLock { $0 = $0 ?? coverage.doubt }
        }
        var open: [RelationshipQuestion] = []
        for try await part in questions {
          open += part
          guard open.count >= Self.batchSize else { continue }
          try await pass.compare(open, &outcome, &rows)
          open = []
          report.progress?(.reached(outcome.compared))
        }
        try await pass.compare(open, &outcome, &rows)
      case .graph:
        let (accounts, isPart) = try await graph(of: owner, workspace, &outcome)
        outcome.isPart = isPart
        for part in accounts.parts(of: Self.batchSize) {
          try await pass.compare(part.map { RelationshipQuestion($0) }, &outcome, &rows)
          report.progress?(.reached(outcome.compared))
        }
      }
    }
    try invalid.finish()
    outcome.rows = outcome.rows.marked(interruptedBy: doubt.withLock(\.self))
    return outcome
  }

  // MARK: The graph of an account

  private func graph(
    of owner: DID, _ workspace: Workspace, _ outcome: inout Outcome
  ) async throws -> (accounts: [DID], isPart: Bool) {
    let records = RecordReader(of: owner, client: try await workspace.repository(of: owner))
    var (accounts, seen, isPart) = ([DID](), Set<DID>(), false)
    func add(_ found: [DID]) {
      if found.count > Self.mostOfAKind { isPart = true }
      for account in found.prefix(Self.mostOfAKind) where account != owner && seen.insert(account).inserted {
        accounts.append(account)
      }
    }
    for kind in [EdgeKind.follow, .block] {
      add(
        try await records.accounts(in: kind).compactMap { try? $0?.get().account }
          .prefix(Self.mostOfAKind + 1).reduce(into: []) { $0.append($1) })
    }
    let appviews = [workspace.appview, workspace.network.client(of: other)]
    // Page follows page, so that neither listing waits for the other one.
    let listed = try await appviews.concurrentMap(atMost: 2) { appview -> [DID]? in
      do {
        return try await Listings(appview).pages(of: .followers(of: .did(owner)))
          .prefix(Self.mostOfAKind + 1).reduce(into: [DID]()) { $0.append($1.account) }
      } catch let error as RelationshipError where error.code == .actorNotFound {
        return nil
      }
    }
    for (appview, followers) in zip(appviews, listed) {
      if let followers { add(followers) } else { outcome.add(stranger: appview.service, to: owner) }
    }
    return (accounts, isPart)
  }

  // MARK: Comparison

  /// A comparison, part by part.
  private struct Pass {
    private let owner: DID
    private let workspace: Workspace
    private let first: FollowRelationshipService
    private let other: (service: FollowRelationshipService, url: ServiceURL)
    /// Whether the first AppView does not know the account.
    private var isStrangerToFirst = false
    /// The accounts that the owner's own records of a kind are about, read when a difference needs them.
    private var own: [EdgeKind: Result<Set<DID>, any Error>] = [:]

    init(of owner: DID, in workspace: Workspace, with other: XRPCClient) {
      // Answers as the AppViews give them: neither cached nor corrected by own changes.
      func service(_ client: XRPCClient) -> FollowRelationshipService {
        FollowRelationshipService(
          source: AppViewRelationshipSource(client: client, identities: workspace.cachedIdentities),
          identities: workspace.cachedIdentities, cachePolicy: .off,
          configuration: .init(concurrency: workspace.concurrency), time: workspace.time)
      }
      (self.owner, self.workspace) = (owner, workspace)
      (first, self.other) = (service(workspace.appview), (service(other), other.service))
    }

    /// The answers of an AppView; nil if it does not know the account.
    private func answers(
      to questions: [RelationshipQuestion], by service: FollowRelationshipService
    ) async throws -> [RelationshipAnswer]? {
      do {
        var found: [RelationshipAnswer] = []
        let names = TargetStream(origins: questions.map { .question($0) })
        for try await answer in service.answers(of: owner, to: names) { found.append(answer) }
        return found
      } catch let error as RelationshipError where error.code == .actorNotFound {
        return nil
      }
    }

    /// The answers of both AppViews, which are asked at once; none of one that does not know the account.
    private mutating func answers(
      to questions: [RelationshipQuestion], _ outcome: inout Outcome
    ) async throws -> (first: [RelationshipAnswer]?, other: [RelationshipAnswer]?) {
      let asked = self
      async let ofFirst = isStrangerToFirst ? nil : asked.answers(to: questions, by: first)
      async let ofOther = asked.answers(to: questions, by: other.service)
      let found = (first: try await ofFirst, other: try await ofOther)
      if found.first == nil, !isStrangerToFirst {
        // An account that nothing knows is another matter.
        _ = try await workspace.cachedIdentities.document(of: owner)
        isStrangerToFirst = true
        outcome.add(stranger: workspace.appview.service, to: owner)
      }
      if found.other == nil { outcome.add(stranger: other.url, to: owner) }
      return found
    }

    mutating func compare(
      _ questions: [RelationshipQuestion], _ outcome: inout Outcome,
      _ rows: inout RowBatch<AppViewDifferenceRow>
    ) async throws {
      if questions.isEmpty { return }
      var shown: [DID: RelationshipAnswer] = [:]
      let (firsts, others) = try await answers(to: questions, &outcome)
      let answers = firsts ?? others ?? []
      for answer in answers {
        switch (answer.state, answer.target) {
        case (.itself, _): break
        case (.failed(let error), .some):
          outcome.add(error, of: isStrangerToFirst ? other.url : workspace.appview.service)
        case (.failed(let error), nil): outcome.add(unresolved: answer.input ?? "", "\(error)")
        case (.notFound(let reason), nil): outcome.add(unresolved: answer.input ?? "", reason)
        case (_, let target?): shown[target] = answer
        case (.known, nil): break
        }
      }
      let targets = answers.compactMap(\.target).filter { shown[$0] != nil }
      let differences = differences(between: &shown, and: others, about: targets, &outcome)
      guard !differences.isEmpty else { return }
      // Read after the AppViews have answered, so that an edge made meanwhile is found.
      for kind in [EdgeKind.follow, .block]
      where own[kind] == nil && differences.contains(where: { $0.edge.isOwn && $0.edge.kind == kind }) {
        own[kind] = try await accounts(in: kind)
      }
      let names = try await workspace.names().views(of: differences.map(\.target), asking: true)
      let settled = try await differences.concurrentMap(atMost: CompareAppViews.lanes) { [self] difference in
        try await settle(difference)
      }
      for (difference, repository) in zip(differences, settled) {
        let view = difference.view ?? AccountView(difference.target)
        let row = AppViewDifferenceRow(
          actor: owner, view: view.named(by: names[difference.target]), relation: difference.edge.rawValue,
          record: difference.record, isShownByOther: difference.isShownByOther,
          shownBy: difference.isShownByOther ? other.url : workspace.appview.service, settled: repository)
        outcome.add(row)
        try await rows.append(row)
      }
      try await rows.flush()
    }

    /// What the AppViews say otherwise. One that does not know the account shows no relationship of it.
    ///
    /// - Parameters:
    ///   - shown: the answers of the first AppView, or of the only one that knows the account.
    ///   - others: those of the other AppView; nil if it does not know the account.
    private func differences(
      between shown: inout [DID: RelationshipAnswer], and others: [RelationshipAnswer]?, about targets: [DID],
      _ outcome: inout Outcome
    ) -> [Difference] {
      var differences: [Difference] = []
      func add(_ first: RelationshipInfo?, _ other: RelationshipInfo?, _ target: DID, _ view: AccountView?) {
        outcome.compared += 1
        differences += Edge.allCases.compactMap { edge in
          Difference(edge, first: first, other: other, of: target, view: view)
        }
      }
      if isStrangerToFirst {
        for target in targets {
          if let answer = shown.removeValue(forKey: target) { add(nil, answer.info, target, answer.view) }
        }
        return differences
      }
      guard let others else {
        for target in targets {
          if let first = shown.removeValue(forKey: target) { add(first.info, nil, target, first.view) }
        }
        return differences
      }
      for answer in others {
        guard let target = answer.target, let first = shown.removeValue(forKey: target) else {
          // A name that only the first one knows.
          if answer.target == nil, case .failed(let error) = answer.state {
            outcome.add(error, of: other.url)
          }
          continue
        }
        if case .failed(let error) = answer.state {
          outcome.add(error, of: other.url)
        } else {
          add(first.info, answer.info, target, first.view)
        }
      }
      return differences
    }

    // MARK: Repositories

    private func accounts(in kind: EdgeKind) async throws -> Result<Set<DID>, any Error> {
      do {
        let records = RecordReader(of: owner, client: try await workspace.repository(of: owner))
        var accounts: Set<DID> = []
        for try await edge in records.accounts(in: kind) {
          if let account = try? edge?.get().account { accounts.insert(account) }
        }
        return .success(accounts)
      } catch let error as CancellationError {
        throw error
      } catch {
        return .failure(error)
      }
    }

    /// Whether the repository has the edge; nil if only the lists of others could tell.
    private func settle(_ difference: Difference) async throws -> Result<Bool, any Error>? {
      guard let kind = difference.edge.kind else { return nil }
      if difference.edge.isOwn { return own[kind]?.map { $0.contains(difference.target) } }
      do {
        let reader = RecordReader(
          of: difference.target, client: try await workspace.repository(of: difference.target))
        if let key = difference.record.recordKey, difference.record.collection == kind.collection,
          difference.record.authority == .did(difference.target),
          let record = try await reader.record(key, in: kind.collection),
          record["subject"]?.string == "\(owner)"
        {
          return .success(true)
        }
        // The account may have followed or blocked again, with a new record.
        var count = 0
        for try await edge in reader.edges(of: kind) {
          if case .success(let found) = edge, found.edge.account == owner { return .success(true) }
          count += 1
          if count == CompareAppViews.mostOfAKind {
            return .failure(OperationError.edgeNotSearched(difference.target, count))
          }
        }
        return .success(false)
      } catch let error as CancellationError {
        throw error
      } catch {
        return .failure(error)
      }
    }
  }

  /// The relationships that are compared, by their names in rows.
  private enum Edge: String, CaseIterable {
    case following, followedBy, blocking, blockedBy, blockingByList, blockedByList

    /// The record that an answer names.
    func record(in info: RelationshipInfo) -> ATURI? {
      switch self {
      case .following: info.following
      case .followedBy: info.followedBy
      case .blocking: info.blocking
      case .blockedBy: info.blockedBy
      case .blockingByList: info.blockingByList
      case .blockedByList: info.blockedByList
      }
    }

    /// Whether the actor's own repository has its record.
    var isOwn: Bool { self == .following || self == .blocking }

    /// The kind of its record; nil if that says nothing about the account.
    var kind: EdgeKind? {
      switch self {
      case .following, .followedBy: .follow
      case .blocking, .blockedBy: .block
      case .blockingByList, .blockedByList: nil
      }
    }
  }

  /// A relationship that one AppView shows and the other does not.
  private struct Difference: Sendable {
    let edge: Edge
    let target: DID
    let view: AccountView?
    /// The record that the one AppView names.
    let record: ATURI
    let isShownByOther: Bool

    init?(
      _ edge: Edge, first: RelationshipInfo?, other: RelationshipInfo?, of target: DID, view: AccountView?
    ) {
      let (first, other) = (first.flatMap(edge.record), other.flatMap(edge.record))
      guard (first == nil) != (other == nil), let record = first ?? other else { return nil }
      (self.edge, self.target, self.view, self.record) = (edge, target, view, record)
      isShownByOther = first == nil
    }
  }

  // MARK: Cost

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    var plan: CostPlan
    switch targets {
    case .accounts(let names, let listings):
      var check = CheckRelationships(of: actor, targets: names)
      check.listings = listings
      plan = try await check.cost(in: workspace, note)
    case .graph:
      plan = CostPlan(concurrency: workspace.concurrency)
      let listings: [ActorListing] = [.follows(of: actor), .followers(of: actor)]
      let counts = try await NetworkCounts(client: workspace.appview).entries(of: listings)
      func most(_ count: Int?) -> Int { min(count ?? Self.mostOfAKind, Self.mostOfAKind) }
      plan.addRecords(.follow, count: most(counts[0]))
      plan.addRecords(.block, count: nil)
      for _ in 0..<2 {
        plan.addListing(listings[1], entries: most(counts[1]))
      }
      let accounts = most(counts[0]) + most(counts[1])
      plan.targets = accounts
      plan.addRelationships(of: accounts)
    }
    plan.addRelationships(of: plan.targets ?? 0)
    // One for each difference; their number is unknown.
    plan.add("com.atproto.repo.getRecord", calls: nil)
    return plan
  }
}

extension OperationError {
  static func sameAppView(_ appview: ServiceURL) -> OperationError {
    OperationError(
      .sameAppView, .usage, "\(appview)", "this is the AppView that is asked anyway; name another one",
      ["appview": .string("\(appview)")])
  }

  package static func unknownToAppView(_ account: DID, _ appview: ServiceURL) -> OperationError {
    OperationError(
      .unknownToAppView, .unavailable, "\(appview)", "this AppView does not know \(account)",
      ["appview": .string("\(appview)"), "account": .text(account)])
  }

  static func edgeNotSearched(_ account: DID, _ count: Int) -> OperationError {
    OperationError(
      .edgeNotSearched, .unavailable, "\(account)",
      "the record is gone, and a newer one is not among the first \(count)", ["account": .text(account)])
  }
}
