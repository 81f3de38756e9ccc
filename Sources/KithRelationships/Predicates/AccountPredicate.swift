// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A filter for accounts: `mutual and not blocked and followers > 1000`.
///
/// Terms test the relationship with an actor (`following`, `followed-by`, `mutual`, `blocking`,
/// `blocked-by`, `blocked`, `muted`, `none`; with another actor by `with ACTOR`), the profile's counts
/// (`followers`, `follows`, `posts`, and `known-followers`, those that the viewer follows, with `>`, `>=`, `<`, `<=`,
/// `=`, `!=` and another count or a number such as 1000, `10k` or `2m`), whether it has an `avatar`, is `verified` or is
/// `on` a list, its labels (`label` for any from a labeler, `label` with `contains` or `is` and a value), its text (`handle`, `name`, `bio` with `contains` or `is` and a text), dates (`followed`,
/// `created`, last `active` with `within 90d`, `since` or `before` a date) and the `status` (`is` a raw
/// value of ``AccountStatus``); `segment NAME` stands for a named predicate. `not` binds tighter than
/// `and`, `and` tighter than `or`; parentheses group.
///
/// An unknown fact is neither true nor false: a predicate that depends on it has no result.
public struct AccountPredicate: Sendable, Hashable {
  /// The other account of a relationship.
  public enum Party: Sendable, Hashable {
    /// The actor of the listing.
    case actor
    /// The signed-in account: `with me`.
    case viewer
    /// A named account.
    case account(ATIdentifier)
  }

  let root: Expression

  /// Whether it asks about nothing but follows, which every app has; blocks and mutes belong to the account.
  package var asksOnlyAboutFollows: Bool {
    !root.contains { term in
      if case .relation(let relation, _) = term {
        ![.following, .followedBy, .mutual].contains(relation)
      } else {
        true
      }
    }
  }

  /// Parses a predicate.
  ///
  /// - Parameters:
  ///   - now: the reference time of `within`.
  ///   - segments: the predicates of named segments, for `segment NAME`.
  /// - Throws: ``PredicateError`` with the position of the error.
  public init(
    parsing text: String, now: Datetime, segments: [String: String] = [:]
  ) throws(PredicateError) {
    var parser = PredicateParser(text, now: now, segments: segments)
    root = try parser.predicate()
  }

  init(_ root: Expression) { self.root = root }

  /// Creates a predicate for a relation with the actor or with another party.
  public init(_ relation: Relation, with party: Party = .actor) { root = .term(.relation(relation, party)) }

  /// Creates a predicate that searches handle, name and bio for a text, ignoring case and accents.
  package init(wordsContaining text: String) {
    let terms = Words.allCases.map { Expression.term(.words($0, isWhole: false, FoldedText(text))) }
    root = terms.dropFirst().reduce(terms[0]) { .or($0, $1) }
  }

  /// Creates a predicate that holds if the listing's edge was created at a time or later.
  package init(followedSince moment: Datetime) {
    root = .term(.moment(.followed, isAfter: true, moment.instant))
  }

  /// Negates a predicate.
  public static prefix func ! (predicate: AccountPredicate) -> AccountPredicate {
    AccountPredicate(.not(predicate.root))
  }

  /// Combines two predicates; both must hold.
  public static func && (one: AccountPredicate, other: AccountPredicate) -> AccountPredicate {
    AccountPredicate(.and(one.root, other.root))
  }

  /// The result; nil if unknown.
  package func holds(for facts: AccountFacts) -> Bool? { root.holds(for: facts) }

  /// Whether the result is unknown because a relationship says nothing about an account that the AppView does
  /// not show, or may not show.
  package func needsPresence(of facts: AccountFacts) -> Bool {
    guard facts.view.isShown != true, holds(for: facts) == nil else { return false }
    return root.contains { term in
      guard case .relation(let relation, let party) = term, let info = facts.relationships[party] else {
        return false
      }
      return relation.holds(for: info, isShown: nil) == nil && relation.holds(for: info, isShown: true) != nil
    }
  }

  /// Whether the result depends on whether the AppView shows a party: what an account that it does not show follows or
  /// blocks is unknown (Q2).
  func needsPresence(of party: Party, for facts: AccountFacts) -> Bool {
    guard let result = holds(for: facts), !facts.hiddenParties.contains(party) else { return false }
    var without = facts
    without.hiddenParties.insert(party)
    return holds(for: without) != result
  }
}

/// The facts about an account that a predicate is evaluated with.
package struct AccountFacts: Sendable {
  /// The account with its texts and counts.
  package var view: AccountView
  /// When its repository last changed; nil if unknown.
  package var lastChange: Datetime?
  /// Relationships by party, each from the party's point of view: `following` is the party's follow of the
  /// account.
  package var relationships: [AccountPredicate.Party: RelationshipInfo]
  /// Whether it is on lists, by how they were typed.
  var lists: [String: Bool] = [:]
  /// Whether parties are friends of it, or wait.
  package var friendships: [AccountPredicate.Party: Friendship.Summary] = [:]
  /// The parties that the AppView does not show, or may not show.
  var hiddenParties: Set<AccountPredicate.Party> = []

  /// Creates facts.
  package init(
    _ view: AccountView, relationships: [AccountPredicate.Party: RelationshipInfo] = [:]
  ) {
    self.view = view
    self.relationships = relationships
  }

  /// Creates the facts of a relationship with the actor.
  ///
  /// - Parameters:
  ///   - isShown: whether the AppView shows the target; nil if unknown.
  ///   - isActorHidden: whether it is known not to show the actor.
  package init(
    _ info: RelationshipInfo, isShown: Bool?, isActorHidden: Bool = false,
    friendship: Friendship.Summary? = nil
  ) {
    let view = AccountView(info.target)
    self.init(isShown.map(view.shown) ?? view, relationships: [.actor: info])
    friendships[.actor] = friendship
    if isActorHidden { hiddenParties = [.actor] }
  }
}

/// A relation between an account and an actor.
public enum Relation: String, Sendable, Hashable, CaseIterable {
  /// The actor follows the account.
  case following
  /// The account follows the actor.
  case followedBy = "followed-by"
  case mutual
  /// The actor blocks the account, directly or by a list.
  case blocking
  /// The account blocks the actor, directly or by a list.
  case blockedBy = "blocked-by"
  /// Either blocks the other.
  case blocked
  /// The actor mutes the account; known only for the viewer (Q9).
  case muted
  /// They are friends: one has asked, and the other one has accepted.
  case friend
  /// The account has asked the other one, and was not answered.
  case requested
  /// The other account has asked, and was not answered.
  case requestedBy = "requested-by"
  /// There are no edges.
  case none

  /// Whether the relation holds; nil if unknown.
  ///
  /// - Parameters:
  ///   - isShown: whether the AppView shows the account; nil if unknown. What an account that is not shown does
  ///     is unknown, unless an edge of it is returned: ``Evidence/edge(isReturned:isShown:)``.
  ///   - isActorShown: the same for the actor.
  package func holds(for info: RelationshipInfo, isShown: Bool?, isActorShown: Bool = true) -> Bool? {
    func theirs(_ isReturned: Bool) -> Bool? { Evidence.edge(isReturned: isReturned, isShown: isShown) }
    func own(_ isReturned: Bool) -> Bool? { Evidence.edge(isReturned: isReturned, isShown: isActorShown) }
    return switch self {
    case .following: own(info.isFollowing)
    case .followedBy: theirs(info.isFollowedBy)
    case .mutual: both(own(info.isFollowing), theirs(info.isFollowedBy))
    case .blocking: own(info.isBlocking)
    case .blockedBy: theirs(info.isBlockedBy)
    case .blocked: either(own(info.isBlocking), theirs(info.isBlockedBy))
    case .muted: info.muted.flatMap(theirs)
    case .friend, .requested, .requestedBy: nil
    case .none: info.isEmpty ? either(own(false), theirs(false)).map { !$0 } : false
    }
  }

  /// Whether it depends on requests and answers, which ``RelationshipInfo`` does not tell.
  package var isOfFriends: Bool { self == .friend || self == .requested || self == .requestedBy }

  /// Whether a word about friends holds; nil if unknown, and for other words.
  package func holds(for friendship: Friendship.Summary) -> Bool? {
    switch self {
    case .friend: friendship.isFriend
    case .requested: friendship.isRequested
    case .requestedBy: friendship.isRequestedBy
    default: nil
    }
  }

  private func both(_ one: Bool?, _ other: Bool?) -> Bool? {
    if one == false || other == false { return false }
    return one == nil || other == nil ? nil : true
  }

  private func either(_ one: Bool?, _ other: Bool?) -> Bool? {
    both(one.map { !$0 }, other.map { !$0 }).map { !$0 }
  }
}

extension AccountPredicate {
  indirect enum Expression: Sendable, Hashable {
    case term(Term)
    case not(Expression)
    case and(Expression, Expression)
    case or(Expression, Expression)

    /// Three-valued logic: a result decided by one side does not depend on the other.
    func holds(for facts: AccountFacts) -> Bool? {
      switch self {
      case .term(let term): return term.holds(for: facts)
      case .not(let expression): return expression.holds(for: facts).map { !$0 }
      case .and(let left, let right):
        let (left, right) = (left.holds(for: facts), right.holds(for: facts))
        if left == false || right == false { return false }
        return left == nil || right == nil ? nil : true
      case .or(let left, let right):
        let (left, right) = (left.holds(for: facts), right.holds(for: facts))
        if left == true || right == true { return true }
        return left == nil || right == nil ? nil : false
      }
    }

    func contains(_ isWanted: (Term) -> Bool) -> Bool {
      switch self {
      case .term(let term): isWanted(term)
      case .not(let expression): expression.contains(isWanted)
      case .and(let left, let right), .or(let left, let right):
        left.contains(isWanted) || right.contains(isWanted)
      }
    }

    /// Passes on each term.
    func visit(_ body: (Term) -> Void) {
      switch self {
      case .term(let term): body(term)
      case .not(let expression): expression.visit(body)
      case .and(let left, let right), .or(let left, let right):
        left.visit(body)
        right.visit(body)
      }
    }
  }

  enum Term: Sendable, Hashable {
    case relation(Relation, Party)
    case number(Number, Comparison, Operand)
    case mark(Mark)
    /// A label with a text in its value; nil for any label of a labeler.
    case label(FoldedText?, isWhole: Bool)
    /// On a list, as it was typed.
    case member(of: String)
    case words(Words, isWhole: Bool, FoldedText)
    case moment(Moment, isAfter: Bool, Instant)
    case status(AccountStatus)

    func holds(for facts: AccountFacts) -> Bool? {
      switch self {
      case .relation(let relation, let party):
        if relation.isOfFriends { return facts.friendships[party].flatMap(relation.holds) }
        return facts.relationships[party].flatMap {
          relation.holds(
            for: $0, isShown: facts.view.isShown, isActorShown: !facts.hiddenParties.contains(party))
        }
      case .number(let number, let comparison, let operand):
        guard let left = number.value(of: facts.view), let right = operand.value(of: facts.view) else {
          return nil
        }
        return comparison.holds(left, right)
      case .mark(.avatar): return facts.view.marks?.hasAvatar
      case .mark(.verified): return facts.view.marks?.isVerified
      case .label(let text, let isWhole):
        return facts.view.marks?.labels.contains { label in
          guard let text else { return label.source != facts.view.account }
          return isWhole ? FoldedText(label.value) == text : FoldedText(label.value).contains(text)
        }
      case .member(let list): return facts.lists[list]
      case .words(let words, let isWhole, let text):
        return words.value(of: facts.view).map {
          isWhole ? FoldedText($0) == text : FoldedText($0).contains(text)
        }
      case .moment(let moment, let isAfter, let instant):
        return moment.value(of: facts).map { ($0.instant >= instant) == isAfter }
      case .status(let status): return facts.view.status.map { $0 == status }
      }
    }
  }

  enum Number: String, CaseIterable {
    case followers, follows, posts
    /// The followers of the account that the viewer follows, if the AppView counts them (Q13).
    case knownFollowers = "known-followers"

    func value(of view: AccountView) -> Int? {
      switch self {
      case .knownFollowers: view.relationship?.knownFollowers
      case .followers: view.counts?.followers
      case .follows: view.counts?.follows
      case .posts: view.counts?.posts
      }
    }
  }

  /// What a count is compared with.
  enum Operand: Sendable, Hashable {
    case value(Int)
    case number(Number)

    var number: Number? { if case .number(let number) = self { number } else { nil } }

    func value(of view: AccountView) -> Int? {
      switch self {
      case .value(let value): value
      case .number(let number): number.value(of: view)
      }
    }
  }

  enum Mark: String, CaseIterable {
    case verified, avatar
  }

  enum Words: String, CaseIterable {
    case handle, name, bio

    /// A missing text is empty if the profile is known.
    func value(of view: AccountView) -> String? {
      guard let handle = view.handle else { return nil }
      return switch self {
      case .handle: handle.description
      case .name: view.displayName ?? ""
      case .bio: view.description ?? ""
      }
    }
  }

  enum Moment: String, CaseIterable {
    case followed, created, active

    func value(of facts: AccountFacts) -> Datetime? {
      switch self {
      case .followed: facts.view.since
      case .created: facts.view.createdAt
      case .active: facts.lastChange
      }
    }
  }

  enum Comparison: String {
    case less = "<"
    case atMost = "<="
    case equal = "="
    case different = "!="
    case atLeast = ">="
    case greater = ">"

    func holds(_ left: Int, _ right: Int) -> Bool {
      switch self {
      case .less: left < right
      case .atMost: left <= right
      case .equal: left == right
      case .different: left != right
      case .atLeast: left >= right
      case .greater: left > right
      }
    }
  }
}

extension AccountPredicate {
  /// The words that terms of the language begin with, for help.
  package static var vocabulary: [String] { PredicateParser.words }
}
