// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// Collects answers into what a check amounts to.
///
/// A failed lookup is never a "no": an error in any answer outweighs every yes and no.
public struct CheckVerdict: Sendable {
  private let predicate: AccountPredicate?
  private let quantifier: CheckRelationships.Quantifier
  /// The failed lookups.
  public private(set) var failures = FailureTally()
  public private(set) var count = 0
  private var holding = 0
  private var selves = 0
  private var itself: DID?
  private var missing = 0
  /// The first target that does not exist, and why.
  public private(set) var firstMissing: (name: String, reason: String)?
  /// Answers that decide only if the AppView shows their accounts.
  public private(set) var open: [RelationshipAnswer] = []
  /// The number of accounts that exist, but that the AppView does not show, and the names of the first.
  public private(set) var hidden = (count: 0, first: [String]())

  public init(predicate: AccountPredicate?, quantifier: CheckRelationships.Quantifier) {
    self.predicate = predicate
    self.quantifier = quantifier
  }

  public mutating func add(_ answer: RelationshipAnswer) {
    count += 1
    if answer.presence == .hidden {
      hidden.count += 1
      if hidden.first.count < 3 { hidden.first.append(answer.name) }
    }
    switch answer.state {
    case .known(let info):
      if predicate == nil { break }
      let isShown = answer.isShown
      if isShown == nil, needsPresence(info) { open.append(answer) } else { decide(answer, info, isShown) }
    case .itself:
      selves += 1
      itself = answer.target
    case .notFound(let reason):
      missing += 1
      firstMissing = firstMissing ?? (answer.name, reason)
    case .failed(let error): failures.add(error)
    }
  }

  /// Decides the open answers.
  ///
  /// - Parameter views: whether the AppView shows their accounts, where it answered.
  public mutating func resolve(_ views: [DID: Result<AccountView?, RelationshipError>]) {
    for answer in open {
      guard case .known(let info) = answer.state else { continue }
      switch views[info.target] {
      case .success(let view)?: decide(answer, info, view != nil)
      case .failure(let error)?: failures.add(error)
      case nil: decide(answer, info, false)
      }
    }
    open = []
  }

  private mutating func decide(_ answer: RelationshipAnswer, _ info: RelationshipInfo, _ isShown: Bool?) {
    switch holds(for: info, isShown, isActorHidden: answer.isActorHidden, answer.friendship) {
    case true?: holding += 1
    case false?: break
    case nil:
      let isUnseen = isShown == false && needsPresence(info)
      let error: OperationError =
        if predicate?.needs.friendships.isEmpty == false, answer.friendship?.isKnown != true {
          .friendshipUnknown(answer.name, because: answer.friendship?.fault)
        } else if isUnseen {
          .notShown(answer.name)
        } else if holds(for: info, isShown) != nil {
          .notShown(info.actor.description)
        } else {
          .mutesUnknown(answer.name)
        }
      failures.add(error)
    }
  }

  /// Whether the predicate holds for the account itself, which has no relationship.
  private var holdsForOneself: Bool {
    itself.map { holds(for: .withItself($0).muted(false), true) == true } ?? false
  }

  /// Whether the predicate holds; nil if unknown.
  private func holds(
    for info: RelationshipInfo, _ isShown: Bool?, isActorHidden: Bool = false,
    _ friendship: Friendship.Summary? = nil
  ) -> Bool? {
    guard let predicate else { return false }
    return predicate.holds(
      for:
        AccountFacts(info, isShown: isShown, isActorHidden: isActorHidden, friendship: friendship))
  }

  /// Whether the predicate depends on the AppView showing the account.
  private func needsPresence(_ info: RelationshipInfo) -> Bool {
    predicate?.needsPresence(of: AccountFacts(info, isShown: nil)) == true
  }

  /// What the answers amount to, after every one was added.
  ///
  /// A missing account is an error only if it is the only target, or if no other target is left to decide.
  public var answer: Answer {
    if let kind = failures.kind { return .failed(kind) }
    if count == 1, missing == 1 { return .notFound }
    guard predicate != nil else { return .answered }
    // An empty list of targets must not look like a yes.
    if count == 0 { return .no }
    // An account has no relationship with itself (Q4), so the actor among its own targets does not count.
    if selves == count { return holdsForOneself ? .yes : .no }
    if missing == count - selves { return .notFound }
    let isYes = quantifier == .all ? holding == count - selves : holding > 0
    return isYes ? .yes : .no
  }

  /// The kind of failure that the answer is; nil for any other answer.
  var failure: FailureKind? {
    switch answer {
    case .yes, .no, .answered: nil
    case .notFound: .notFound
    case .failed(let kind): kind
    }
  }

  /// What a check amounts to.
  public enum Answer: Sendable, Hashable {
    case yes, no
    /// Nothing was asked about the targets.
    case answered
    /// The only target does not exist, or none of several.
    case notFound
    /// Lookups failed: what they would say is unknown.
    case failed(FailureKind)

    /// The answer to a question; nil if nothing was asked or it is unknown.
    var code: String? {
      switch self {
      case .yes: "yes"
      case .no: "no"
      case .answered, .notFound, .failed: nil
      }
    }
  }
}

extension RelationshipAnswer {
  /// The name as typed, or the account.
  fileprivate var name: String { input ?? target?.description ?? "" }
}

extension Friendship.Summary {
  fileprivate var isKnown: Bool { isFriend != nil && isRequested != nil && isRequestedBy != nil }
}

extension OperationError {
  static func friendshipUnknown(_ target: String, because error: RelationshipError?) -> OperationError {
    OperationError(
      .friendshipUnknown, .unavailable, target,
      "could not find out whether you are friends, or what you have asked of each other",
      ["target": .string(target)], underlying: error)
  }

  static func mutesUnknown(_ target: String) -> OperationError {
    OperationError(
      .mutesUnknown, .unavailable, target, "could not find out whether you mute this account",
      ["target": .string(target)])
  }

  static func notShown(_ target: String) -> OperationError {
    OperationError(
      .notShown, .unavailable, target,
      "not shown by the AppView, so it is unknown which accounts it follows or blocks",
      ["target": .string(target)])
  }
}
