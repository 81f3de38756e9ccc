// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithOperations
public import KithRelationships
public import KithWriting

/// The sentences for notes, questions and outcomes of operations: the same for every front, such as a command, a page or a daemon.
///
/// A front adds what its users can do about it: ``hint`` is called where a sentence has room for that.
public struct Wording: Sendable {
  /// The words for an error; by default its own description.
  public var error: @Sendable (any Error) -> String
  /// What to do about something, as a phrase; nil, the default, for nothing.
  public var hint: @Sendable (Hint) -> String?
  /// What a run took, such as `3 calls, 0.412 s`, for the sentences that say it; nil to leave it out.
  public var cost: String?

  public init(
    error: @escaping @Sendable (any Error) -> String = Wording.words(for:),
    hint: @escaping @Sendable (Hint) -> String? = { _ in nil }
  ) {
    self.error = error
    self.hint = hint
  }

  /// Sentences without hints.
  public static let neutral = Wording()

  /// The description of an error of a library, or what can be said of any other.
  public static func words(for error: any Error) -> String {
    (error as? any CodedError)?.description ?? "\(DecodingFault(error))"
  }

  /// A hint with what separates it from the words before it; empty without a hint.
  func hinted(_ hint: Hint, after separator: String = "; ", closedBy end: String = "") -> String {
    self.hint(hint).map { separator + $0 + end } ?? ""
  }

  /// What the run took, after the words before it; empty if it is not said.
  var costWords: String { cost.map { "; \($0)" } ?? "" }
}

/// What a front can say at a place of a sentence: what to do about something.
public enum Hint: Sendable {
  // MARK: Names and listings
  /// A list was named where an account is expected.
  case showMembers
  /// Records of the account are about itself.
  case removeOwnFollow(Handle, FollowGraph)
  /// Follows point to accounts that are deleted.
  case findDeleted
  /// A listing, a feed or a ranking can be continued.
  case continueFrom(Continuation)
  /// A feed has no accounts to read.
  case beginFeed(ReadFeed.Selection)
  /// Nothing was found, because the account follows no one.
  case findPeople
  /// There are no friends yet.
  case askFriends
  /// There is nothing of this kind yet.
  case makeFirst(Thing)

  // MARK: Jobs
  /// A job can be continued.
  case resume(JobID)
  /// A job can be looked at.
  case showJob(JobID)
  /// Edges may exist twice.
  case findDuplicates
  /// Jobs are due, and only a person may let them end.
  case confirmDue
  /// A snapshot of the followers would tell.
  case refreshListings

  // MARK: Changes, exports and imports
  /// Follows in these graphs were left out of an export.
  case exportGraphs([FollowGraph])
  /// Followers in a file can be followed.
  case followFollowers
  /// The rows of a file are read as accounts.
  case readAsAccounts
  /// Settings in a file are set elsewhere.
  case setElsewhere
  /// Rows that speak for the account can be imported by themselves.
  case importStatements(count: Int, kinds: [String])
  /// Follows in these graphs can be imported as well.
  case importGraphs([String])
  /// Rows are in a job that is not done.
  case showJobs
  /// How fast follows are made can be changed.
  case changePace
  /// How many accounts are looked up before they are followed.
  case namedAccounts
  /// Rows of these kinds need a yes of their own.
  case confirmStatements([String])
  /// A new segment can be used.
  case useSegment(String)

  /// Where something can be continued.
  public enum Continuation: Sendable {
    case listing(ListingCursor)
    case feed(String)
    /// After this many accounts.
    case after(Int)
  }

  /// Something of which there is none yet.
  public enum Thing: Sendable {
    case goal, watchedAccount, request
  }
}

/// An outcome that can be said in a sentence.
public protocol WordedOutcome: OperationOutcome {
  /// What it came to, as a sentence without a full stop.
  func sentence(in wording: Wording) -> String
}

extension WordedOutcome {
  /// What it came to, without hints.
  public var sentence: String { sentence(in: .neutral) }
}

extension Ending {
  /// How an operation ended, in a word or a phrase.
  public var sentence: String {
    switch self {
    case .done: "done"
    case .declined: "declined"
    case .partly(let kind): "done in part: \(kind.words)"
    case .interrupted(.cancelled): "interrupted"
    case .interrupted(.closed): "ended by the reader"
    case .interrupted(.failed(let kind)): "failed: \(kind.words)"
    }
  }
}

extension FailureKind {
  /// The kind in a phrase.
  public var words: String {
    switch self {
    case .usage: "the request makes no sense"
    case .invalidInput: "an input is not valid"
    case .notFound: "something does not exist"
    case .unavailable: "a service is unreachable or fails"
    case .internalError: "internal error"
    case .fileTrouble: "a file cannot be read or written"
    case .tryLater: "a limit is exhausted; try later"
    case .invalidResponse: "invalid response from a server"
    case .notAllowed: "not signed in, or not allowed"
    case .interrupted: "interrupted"
    }
  }
}
