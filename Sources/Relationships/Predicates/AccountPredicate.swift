// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// A question about accounts with yes or no for an answer: `mutual and not blocked and followers > 1000`.
///
/// It is about how an account stands to an actor (`following`, `followed-by`, `mutual`, `blocking`, `blocked-by`,
/// `blocked`, `muted`, `none`; to another one `with ACTOR`), about what its profile counts (`followers`, `follows`,
/// `posts` with `>`, `>=`, `<`, `<=`, `=`, `!=` and a number, `10k` and `2m` too), about its words (`handle`, `name`, `bio`
/// with `contains` or `is` and a text), about when something was (`followed`, `created`, last `active` with `within
/// 90d`, `since` or `before` a date) and about its `status` (`is` a word of ``AccountStatus``); `segment NAME` stands for a
/// predicate that was given a name. `not` binds before `and`, `and` before `or`;
/// parentheses group.
///
/// What is not known is neither yes nor no: a question that depends on it has no answer.
public struct AccountPredicate: Sendable, Hashable {
  /// Whom an account is related to.
  public enum Party: Sendable, Hashable {
    /// The actor that is asked about.
    case actor
    /// The signed-in account: `with me`.
    case viewer
    /// A named one.
    case account(ATIdentifier)
  }

  /// What has to be known to answer.
  public struct Needs: Sendable, Hashable {
    /// To whom the relationship has to be known.
    public internal(set) var relationships: Set<Party> = []
    /// Whether what a profile counts, or when the account was created.
    public internal(set) var profile = false
    /// Whether words, which listings bring.
    public internal(set) var names = false
    /// Whether when the edge of the listing was made.
    public internal(set) var date = false
    /// Whether what became of the account.
    public internal(set) var status = false
    /// Whether when its repository last changed.
    public internal(set) var activity = false
    /// Whose mutes: of anybody but the viewer they are private (Q9).
    public internal(set) var mutes: Set<Party> = []

    /// Nothing.
    public init() {}

    /// Whether the relationship to one party tells all of it.
    public func areOnlyRelationships(to party: Party) -> Bool {
      var needs = Needs()
      needs.add(party)
      needs.mutes = mutes.intersection([party])
      return self == needs
    }

    /// Adds somebody to whom the relationship has to be known.
    public mutating func add(_ party: Party) { relationships.insert(party) }
  }

  let root: Expression

  /// Reads a question.
  ///
  /// - Parameters:
  ///   - now: what `within` counts back from.
  ///   - segments: the predicates that names stand for: `segment NAME`.
  /// - Throws: ``PredicateError``, which says where the text goes wrong.
  public init(
    parsing text: String, now: Datetime, segments: [String: String] = [:]
  ) throws(PredicateError) {
    var parser = PredicateParser(text, now: now, segments: segments)
    root = try parser.predicate()
  }

  init(_ root: Expression) { self.root = root }

  /// Asks how an account stands to the actor, or to another one.
  public init(_ relation: Relation, with party: Party = .actor) { root = .term(.relation(relation, party)) }

  /// Asks whether handle, name or bio hold a text, without regard to case and accents.
  public init(wordsContaining text: String) {
    let terms = Words.allCases.map { Expression.term(.words($0, isWhole: false, FoldedText(text))) }
    root = terms.dropFirst().reduce(terms[0]) { .or($0, $1) }
  }

  /// Asks whether the edge of the listing was made at a time or later.
  public init(followedSince moment: Datetime) {
    root = .term(.moment(.followed, isAfter: true, moment.microsecondsSinceEpoch))
  }

  /// The opposite.
  public static prefix func ! (predicate: AccountPredicate) -> AccountPredicate {
    AccountPredicate(.not(predicate.root))
  }

  /// Both.
  public static func && (one: AccountPredicate, other: AccountPredicate) -> AccountPredicate {
    AccountPredicate(.and(one.root, other.root))
  }

  /// What has to be known to answer.
  public var needs: Needs {
    var needs = Needs()
    root.collect(&needs)
    return needs
  }

  /// The answer; nil where it is not known.
  public func holds(for facts: AccountFacts) -> Bool? { root.holds(for: facts) }
}

/// What is known of an account when a question about it is answered.
public struct AccountFacts: Sendable {
  /// The account, its words and counts.
  public var view: AccountView
  /// When its repository last changed; nil where that is not known.
  public var lastChange: Datetime?
  /// How it stands to whom; each told as by that party: `following` is the party's follow of the account.
  public var relationships: [AccountPredicate.Party: RelationshipInfo]

  /// Puts together what is known.
  public init(
    _ view: AccountView, relationships: [AccountPredicate.Party: RelationshipInfo] = [:]
  ) {
    self.view = view
    self.relationships = relationships
  }
}

/// How an account stands to an actor.
public enum Relation: String, Sendable, Hashable, CaseIterable {
  /// The actor follows it.
  case following
  /// It follows the actor.
  case followedBy = "followed-by"
  case mutual
  /// The actor blocks it, directly or by a list.
  case blocking
  /// It blocks the actor, directly or by a list.
  case blockedBy = "blocked-by"
  /// One blocks the other.
  case blocked
  /// The actor mutes it: known of the viewer alone (Q9).
  case muted
  /// There is no edge at all.
  case none

  /// Whether it is so; nil where that is not known.
  public func holds(for info: RelationshipInfo) -> Bool? {
    switch self {
    case .following: info.isFollowing
    case .followedBy: info.isFollowedBy
    case .mutual: info.mutual
    case .blocking: info.isBlocking
    case .blockedBy: info.isBlockedBy
    case .blocked: info.blocked
    case .muted: info.muted
    case .none: info.isEmpty
    }
  }
}

extension AccountPredicate {
  indirect enum Expression: Sendable, Hashable {
    case term(Term)
    case not(Expression)
    case and(Expression, Expression)
    case or(Expression, Expression)

    /// By the logic of three values: what is decided by one side does not depend on the other.
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

    func collect(_ needs: inout Needs) {
      switch self {
      case .term(let term): term.collect(&needs)
      case .not(let expression): expression.collect(&needs)
      case .and(let left, let right), .or(let left, let right):
        left.collect(&needs)
        right.collect(&needs)
      }
    }
  }

  enum Term: Sendable, Hashable {
    case relation(Relation, Party)
    case number(Number, Comparison, Int)
    case words(Words, isWhole: Bool, FoldedText)
    case moment(Moment, isAfter: Bool, Int64)
    case status(AccountStatus)

    func holds(for facts: AccountFacts) -> Bool? {
      switch self {
      case .relation(let relation, let party):
        return facts.relationships[party].flatMap(relation.holds)
      case .number(let number, let comparison, let value):
        return number.value(of: facts.view).map { comparison.holds($0, value) }
      case .words(let words, let isWhole, let text):
        return words.value(of: facts.view).map {
          isWhole ? FoldedText($0) == text : FoldedText($0).contains(text)
        }
      case .moment(let moment, let isAfter, let instant):
        return moment.value(of: facts).map { ($0.microsecondsSinceEpoch >= instant) == isAfter }
      case .status(let status): return facts.view.status.map { $0 == status }
      }
    }

    func collect(_ needs: inout Needs) {
      switch self {
      case .relation(let relation, let party):
        needs.relationships.insert(party)
        if relation == .muted { needs.mutes.insert(party) }
      case .number: needs.profile = true
      case .words: needs.names = true
      case .moment(.followed, _, _): needs.date = true
      case .moment(.created, _, _): needs.profile = true
      case .moment(.active, _, _): needs.activity = true
      case .status: needs.status = true
      }
    }
  }

  enum Number: String, CaseIterable {
    case followers, follows, posts

    func value(of view: AccountView) -> Int? {
      switch self {
      case .followers: view.counts?.followers
      case .follows: view.counts?.follows
      case .posts: view.counts?.posts
      }
    }
  }

  enum Words: String, CaseIterable {
    case handle, name, bio

    /// An account without such words has empty ones, where its words are known at all.
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
