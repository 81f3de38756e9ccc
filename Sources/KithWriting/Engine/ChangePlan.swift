// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore
public import KithRelationships

/// The plan for a number of intents, in the order in which they were named.
public struct ChangePlan: Sendable {
  /// One intent, as it was entered.
  public struct Request: Sendable, Hashable {
    /// What was typed or read from a file; the journal keeps it.
    public var input: String
    /// The intent.
    public var intent: ChangeIntent
    /// Whether its account is known to exist, for example because its handle was resolved. Other
    /// accounts are looked up, one call for every 25, before records are made that point to them.
    public var isResolved: Bool
    /// When it is to be undone; nil if that is decided for all requests.
    package var until: Datetime?

    /// Creates a request.
    public init(_ input: String, _ intent: ChangeIntent, isResolved: Bool = false) {
      self.init(input, intent, isResolved: isResolved, until: nil)
    }

    /// Creates a request.
    ///
    /// - Parameter until: when it is to be undone; nil if that is decided for all requests.
    package init(_ input: String, _ intent: ChangeIntent, isResolved: Bool = false, until: Datetime?) {
      self.input = input
      self.intent = intent
      self.isResolved = isResolved
      self.until = until
    }
  }

  /// The account whose relationships change.
  public let account: DID
  /// The requests.
  public let requests: [Request]
  /// The planned change for each request.
  public let changes: [PlannedChange]
  /// How many accounts the account follows now; nil if unknown.
  public let following: Int?
  /// Accounts that are followed and would be blocked.
  package let followedAndBlocked: Int
  /// Own records whose subject cannot be read.
  public let unreadable: MalformedRecords
  /// AppView failures; without them, the plans could say more.
  public let faults: [RelationshipError]
  /// How many files, such as pictures, the server may delete with these changes without a copy for an undo; known right
  /// before the confirmation.
  package var unkeptFiles = 0

  /// Plans requests of an account of which nothing is known to hold yet, without any call, such as for a test of what an
  /// app shows before it asks. A plan that an engine carries out is made by the engine.
  ///
  /// - Parameter following: how many accounts the account follows; nil if unknown.
  public init(of account: DID, _ requests: [Request], following: Int? = nil) {
    let planner = ChangePlanner(account: account, keys: TIDClock(time: .system), time: .system)
    let changes = planner.plan(requests.map(\.intent)) { intent in
      if case .edge(let edge, _) = intent { SubjectFacts(edges: [edge.kind: []]) } else { SubjectFacts() }
    }
    self.init(
      account: account, requests: requests, changes: changes, following: following, followedAndBlocked: 0,
      unreadable: MalformedRecords(), faults: [])
  }

  init(
    account: DID, requests: [Request], changes: [PlannedChange], following: Int?, followedAndBlocked: Int,
    unreadable: MalformedRecords, faults: [RelationshipError]
  ) {
    self.account = account
    self.requests = requests
    self.changes = changes
    self.following = following
    self.followedAndBlocked = followedAndBlocked
    self.unreadable = unreadable
    self.faults = faults
  }

  /// Whether a step replaces the content of a record.
  package var replacesRecords: Bool {
    changes.lazy.flatMap(\.steps).contains { step in
      guard case .write(let writes) = step.action else { return false }
      return writes.contains { if case .update = $0.action { true } else { false } }
    }
  }

  /// The files that the server may delete with these changes.
  package var filesLetGo: [Blob] {
    let writes = changes.lazy.flatMap(\.steps).flatMap(\.writes)
    let named = Set(writes.flatMap(\.filesNeeded).map(\.ref))
    return writes.flatMap(\.filesLetGo).filter { !named.contains($0.ref) }
  }

  /// The items to journal, each step after those that it depends on.
  package var items: [JobItemDraft] { Self.items(of: changes, for: requests) }

  /// The number of steps.
  public var stepCount: Int { changes.reduce(0) { $0 + $1.steps.count } }

  static func items(of changes: [PlannedChange], for requests: [Request]) -> [JobItemDraft] {
    var items: [JobItemDraft] = []
    var created: [ATURI: Int] = [:]
    for (request, planned) in zip(requests, changes) {
      var last = planned.change.list.flatMap { created[$0] }
      for step in planned.steps {
        items.append(
          JobItemDraft(input: request.input, step: step, dependsOn: last, until: request.until))
        last = items.count - 1
      }
      if case .list(.create(let list, _)) = planned.change, !planned.steps.isEmpty { created[list] = last }
    }
    return items
  }

  /// Whether there is nothing to journal.
  public var isEmpty: Bool { changes.allSatisfy { $0.steps.isEmpty && !$0.changesJobs } }

  /// How many of the changes have steps.
  public var affected: Int { changes.count { !$0.steps.isEmpty } }

  /// Points of the write budget that the plan costs.
  public var points: Int { changes.reduce(0) { $0 + $1.points } }

  /// The warning to show before very many follows or unfollows; nil if there is nothing to warn about.
  public var warning: MassChangeWarning? {
    MassChangeWarning(follows: follows, unfollows: unfollows, following: following)
  }

  /// How many accounts would be followed.
  package var follows: Int {
    changes.count { $0.change.followed != nil && $0.sendsWrites }
  }

  /// How many accounts would be unfollowed.
  package var unfollows: Int {
    changes.count { $0.change.removedEdge?.kind == .follow && $0.sendsWrites }
  }
}

extension PlannedChange {
  fileprivate var sendsWrites: Bool { steps.contains { !$0.writes.isEmpty } }
}

extension ChangePlan.Request {
  /// The request about the lists that exist.
  func bound(by lists: ListBindings) -> Self {
    var request = self
    request.intent = intent.bound(by: lists)
    return request
  }
}
