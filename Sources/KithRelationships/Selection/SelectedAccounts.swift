// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// All accounts of a selection, in order, each once.
public struct SelectedAccounts: Sendable {
  /// An account, or a name that leads to none.
  public struct Member: Sendable {
    fileprivate let question: RelationshipQuestion
    /// The account, or why the name leads to none.
    public fileprivate(set) var account: Result<DID, IdentityError>
    /// The graph whose listing has selected it; nil if it is meant in every graph.
    package fileprivate(set) var graph: FollowGraph?

    fileprivate init(_ question: RelationshipQuestion) {
      self.question = question
      account =
        switch question.target {
        case .did(let did): .success(did)
        case .handle(let handle):
          .failure(IdentityError(.unavailable, subject: handle, detail: "the resolver returned no result"))
        case .unreadable(let error):
          .failure(IdentityError(.notFound, subject: error.text, detail: error.reason))
        }
    }

    /// The name as typed, the handle in a listing, or the account itself.
    public var name: String {
      if let input = question.input { return input }
      if let handle = question.view?.handle, !handle.isInvalid { return handle.description }
      return switch question.target {
      case .did(let did): did.description
      case .handle(let handle): handle.description
      case .unreadable: ""
      }
    }

    /// What the name says.
    public var target: RelationshipQuestion.Target { question.target }

    /// The CID of the friend request that its row is about; nil for other names.
    package var requestCID: CID? { question.requestCID.flatMap { CID($0) } }

    /// What a listing knows about the account; nil for a name.
    public var view: AccountView? { question.view }

    /// Whether the account was found by its handle just now.
    public var isResolved: Bool { if case .handle = question.target { true } else { false } }
  }

  /// Names that are not valid.
  public struct Invalid: Sendable {
    /// The most names that are kept.
    public static let mostKept = 100
    /// Their number.
    public private(set) var count = 0
    /// The first of them.
    public private(set) var first: [RelationshipQuestion] = []

    fileprivate mutating func append(_ question: RelationshipQuestion) {
      count += 1
      if first.count < Self.mostKept { first.append(question) }
    }

    mutating func add(_ other: Invalid) {
      count += other.count
      first += other.first.prefix(Self.mostKept - first.count)
    }
  }

  /// The accounts, and the names that lead to none.
  public private(set) var members: [Member] = []
  /// What has been read, as long as there is more to read.
  private var seen: Set<RelationshipQuestion.Target> = []
  /// How often an account was named again.
  public private(set) var repetitions = 0
  /// Names that are not valid; nothing else is known then, unless they were to be skipped.
  public internal(set) var invalid = Invalid()
  /// Names of exclusions that are not valid; nothing else is known then, because they may name any account.
  public internal(set) var invalidExclusions = Invalid()
  /// The number of accounts that an exclusion has left out.
  public private(set) var excluded = 0
  /// The names of the first of them, and of those that do not match the predicate.
  public private(set) var leftOut: [String] = []
  /// The most names that are kept of what is left out.
  public static let mostNamed = 5
  /// The number of named accounts that do not match the predicate.
  public private(set) var unmatched = 0
  /// Names of exclusions that lead to no account: they protect none.
  public private(set) var unknownExclusions: [String] = []
  /// What is known about the named accounts that were compared with the predicate.
  public private(set) var matching = ListingCoverage()

  init() {}

  /// Reads all names, but does not look for their accounts.
  public init(named names: AccountSelection.Names) async throws {
    for try await part in names { add(part) }
    seen = []
  }

  /// Reads all questions.
  init(reading questions: SelectedQuestions) async throws {
    for try await part in questions { add(part) }
    seen = []
  }

  private mutating func add(_ part: [RelationshipQuestion]) {
    for question in part {
      if !question.isSelectable {
        invalid.append(question)
      } else if seen.insert(question.target).inserted {
        members.append(Member(question))
      } else {
        repetitions += 1
      }
    }
  }

  mutating func add(_ other: SelectedAccounts) {
    members += other.members
    invalid.add(other.invalid)
  }

  /// Adds the accounts that listings of one graph have selected; they are meant there only.
  package mutating func add(_ other: SelectedAccounts, in graph: FollowGraph) {
    members += other.members.map { member in
      var member = member
      member.graph = graph
      return member
    }
    repetitions += other.repetitions
    excluded += other.excluded
    unmatched += other.unmatched
    leftOut += other.leftOut.prefix(Self.mostNamed - leftOut.count)
  }

  // MARK: Steps

  /// Finds the accounts of handles.
  mutating func resolve(
    _ resolve: ([Handle]) async throws -> [Handle: Result<DID, IdentityError>]
  ) async throws {
    let handles = members.compactMap(\.target.handle)
    if handles.isEmpty { return }
    let found = try await resolve(handles)
    for place in members.indices {
      guard let handle = members[place].target.handle, let outcome = found[handle] else { continue }
      members[place].account = outcome.mapError { error in
        guard error.code == .notFound else { return error }
        return IdentityError(
          .notFound, subject: handle, detail: members[place].question.placed(error.detail),
          underlying: error.underlying)
      }
    }
  }

  /// Leaves out the accounts of another selection.
  ///
  /// - Throws: `IdentityError` if a name of it could not be looked up: its account might be selected.
  mutating func exclude(_ others: SelectedAccounts) throws {
    var accounts: Set<DID> = []
    for other in others.members {
      switch other.account {
      case .success(let did): accounts.insert(did)
      case .failure(let error) where error.code == .notFound: unknownExclusions.append(other.name)
      case .failure(let error): throw error
      }
    }
    excluded = remove { member in (try? member.account.get()).map(accounts.contains) ?? false }
  }

  /// Leaves out named accounts that do not match a predicate. Those of listings were compared when they were listed;
  /// names that lead to no account stay.
  mutating func match(_ predicate: AccountPredicate, of actor: DID, by listings: Listings) async throws {
    let named = members.filter { $0.view == nil }.compactMap { try? $0.account.get() }
    if named.isEmpty { return }
    var matches = listings.accounts(among: named, of: .did(actor), where: predicate).makeAsyncIterator()
    var wanted: Set<DID> = []
    while let view = try await matches.next() { wanted.insert(view.account) }
    matching = matches.coverage
    unmatched = remove { member in
      guard member.view == nil, let account = try? member.account.get() else { return false }
      return !wanted.contains(account)
    }
  }

  /// - Returns: the number of members that were removed.
  private mutating func remove(_ isUnwanted: (Member) -> Bool) -> Int {
    let before = members.count
    var names = leftOut
    members.removeAll { member in
      let isOut = isUnwanted(member)
      if isOut, names.count < Self.mostNamed { names.append(member.name) }
      return isOut
    }
    leftOut = names
    return before - members.count
  }
}

extension RelationshipQuestion.Target {
  fileprivate var handle: Handle? { if case .handle(let handle) = self { handle } else { nil } }
}

extension RelationshipQuestion {
  /// Whether it can select an account; false if it is invalid or names a list, because the owner of a list is never meant.
  public var isSelectable: Bool {
    if case .unreadable = target { return false }
    return !namesAList
  }

  /// Whether it is the name of a list or starter pack.
  public var namesAList: Bool {
    guard let input, input.utf8.contains(UInt8(ascii: "/")) else { return false }
    return (try? RecordInput(parsing: input)) != nil
  }
}
