// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
public import ATProtoCore
public import Relationships

/// What a number of intents take, in the order in which they were named.
public struct ChangePlan: Sendable {
  /// One intent, as somebody named it.
  public struct Request: Sendable, Hashable {
    /// What was typed, or stood in a file; the journal keeps it.
    public var input: String
    /// What is wanted.
    public var intent: ChangeIntent
    /// Whether its account is known to exist, as one is that was found by its handle. Up to ``mostVerified`` others are
    /// looked up before records are made that point to them: a call for every 25.
    public var isResolved: Bool

    /// Puts a request together.
    public init(_ input: String, _ intent: ChangeIntent, isResolved: Bool = false) {
      self.input = input
      self.intent = intent
      self.isResolved = isResolved
    }
  }

  /// With more accounts that no handle led to, none of them is looked up.
  public static let mostVerified = FactRequirements.fewAccounts

  /// Whose relationships are to change.
  public let account: DID
  /// What is wanted.
  public let requests: [Request]
  /// What each of them takes.
  public let changes: [PlannedChange]
  /// Whom the account follows now; nil where that was not learned.
  public let following: Int?
  /// Accounts that are followed and would be blocked.
  public let followedAndBlocked: Int
  /// Own records of which not even the subject can be read.
  public let unreadable: MalformedRecords
  /// What an AppView did not tell, which the plans could have said more with.
  public let faults: [RelationshipError]

  /// What is to be written down, each step behind those that it depends on.
  public var items: [JobItemDraft] { Self.items(of: changes, inputs: requests.map(\.input)) }

  /// How many steps it takes.
  public var stepCount: Int { changes.reduce(0) { $0 + $1.steps.count } }

  static func items(of changes: [PlannedChange], inputs: [String]) -> [JobItemDraft] {
    var items: [JobItemDraft] = []
    var created: [ATURI: Int] = [:]
    for (input, planned) in zip(inputs, changes) {
      var last = planned.change.list.flatMap { created[$0] }
      for step in planned.steps {
        items.append(JobItemDraft(input: input, step: step, dependsOn: last))
        last = items.count - 1
      }
      if case .list(.create(let list, _)) = planned.change, !planned.steps.isEmpty { created[list] = last }
    }
    return items
  }

  /// Whether anything is to be written down at all.
  public var isEmpty: Bool { changes.allSatisfy { $0.steps.isEmpty && $0.newEnd == nil } }

  /// How many of the changes take something.
  public var affected: Int { changes.count { !$0.steps.isEmpty } }

  /// Points of the write budget that it costs.
  public var points: Int { changes.reduce(0) { $0 + $1.points } }

  /// What to say before very many follows or unfollows; nil where there is nothing to warn of.
  public var warning: MassChangeWarning? {
    var (follows, unfollows) = (0, 0)
    for planned in changes where !planned.steps.isEmpty {
      switch planned.change {
      case .follow: follows += 1
      case .unfollow: unfollows += 1
      default: break
      }
    }
    return MassChangeWarning(follows: follows, unfollows: unfollows, following: following)
  }
}
