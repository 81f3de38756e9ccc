// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// What servers answered about an account, and what these answers prove.
///
/// ``Finding/claims(isShown:)`` is the table of docs/PROTOCOL.md. Predicates, checks, refusals of changes and
/// the causes of losses all use it: what no answer proves is unknown, and unknown is not "no".
public struct Evidence: Sendable, Hashable {
  /// The source that was asked.
  public enum Question: String, Sendable, Hashable, CaseIterable {
    /// `app.bsky.graph.getRelationships`.
    case relationship = "r"
    /// `app.bsky.actor.getProfiles`, in batches.
    case profiles = "P"
    /// `app.bsky.actor.getProfile`, which returns why an account is not shown (Q14).
    case profile = "p"
    /// The directory of the DID's method.
    case directory = "d"
    /// `com.atproto.sync.getRepoStatus`, at the account's own server.
    case server = "s"
    /// `com.atproto.repo.listRecords`, at the actor's own server.
    case records = "l"
    /// A listing of an AppView, such as `app.bsky.graph.getFollowers`.
    case listing = "L"
    /// A backlink index.
    case index = "i"
  }

  /// The answer.
  public enum Answer: String, Sendable, Hashable, CaseIterable {
    case follows
    case noFollow = "no-follow"
    case blockedBy = "blocked-by"
    case blockedByList = "blocked-by-list"
    case blocking
    case blockingByList = "blocking-by-list"
    case muted
    case notMuted = "not-muted"
    /// A muted list hides whether there is also a direct mute (Q9).
    case mutedByList = "muted-by-list"
    case noRecord = "no-record"
    case active
    case deactivated
    case suspended
    case takenDown = "taken-down"
    /// The directory has a document for the DID.
    case registered
    case deleted
    case invalidHandle = "invalid-handle"
    case notFound = "not-found"
    /// An inconclusive answer.
    case unclear
    /// No answer.
    case failed
  }

  /// A source and its answer.
  public struct Finding: Sendable, Hashable {
    public let question: Question
    public let answer: Answer
    /// The record or list in the answer.
    public let record: ATURI?

    /// Creates a finding.
    public init(_ question: Question, _ answer: Answer, _ record: ATURI? = nil) {
      self.question = question
      self.answer = answer
      self.record = record
    }
  }

  /// The answers, in the order in which they arrived.
  public var findings: [Finding]

  /// Creates evidence from findings.
  public init(_ findings: [Finding] = []) { self.findings = findings }

  /// Whether any server gave one of these answers.
  public func has(_ answers: Answer...) -> Bool { findings.contains { answers.contains($0.answer) } }

  /// Whether the AppView shows the account.
  public var isShown: Bool {
    findings.contains { $0.question.isOfAppView && [.active, .invalidHandle].contains($0.answer) }
  }

  /// Everything that the answers prove together.
  public var claims: Set<Claim> {
    let isShown = isShown
    return findings.reduce(into: []) { $0.formUnion($1.claims(isShown: isShown)) }
  }

  /// Whether the account exists; nil if no answer proves it.
  public var presence: AccountPresence? {
    if isShown { return .shown }
    let claims = claims
    // A document outlives the account: many servers delete the repository only.
    if claims.contains(.deleted) { return .absent }
    return claims.contains(.exists) ? .hidden : nil
  }

  /// Whether an edge is there; nil if unknown.
  ///
  /// An AppView that does not show an account does not know its records either, and answers as if it had none
  /// (Q2). So a missing edge proves something only if the AppView shows the account whose record it is.
  /// - Parameters:
  ///   - isReturned: whether `getRelationships` returns the edge.
  ///   - isShown: whether the AppView shows the account that would have made it; nil if unknown.
  public static func edge(isReturned: Bool, isShown: Bool?) -> Bool? {
    isReturned ? true : isShown == true ? false : nil
  }

  /// The account's status; nil if no server returned it.
  public var status: AccountStatus? {
    for finding in findings.reversed() where finding.question != .relationship {
      switch finding.answer {
      case .active: return .active
      case .deactivated: return .deactivated
      case .suspended, .takenDown: return .suspended
      case .deleted: return .deleted
      case .invalidHandle: return .invalidHandle
      default: continue
      }
    }
    return nil
  }
}

extension Evidence: LosslessStringConvertible {
  /// Parses a ``description``; answers added by later versions are left out.
  public init?(_ text: String) {
    findings = text.split(separator: " ").compactMap { Finding(String($0)) }
  }

  /// `r:no-follow p:active`: short, because a store may hold a million.
  public var description: String { findings.map(\.description).joined(separator: " ") }
}

extension Evidence.Finding: LosslessStringConvertible {
  public init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1)
    let words = parts.first?.split(separator: ":", maxSplits: 1) ?? []
    guard words.count == 2, let question = Evidence.Question(rawValue: String(words[0])),
      let answer = Evidence.Answer(rawValue: String(words[1]))
    else { return nil }
    self.init(question, answer, parts.count == 2 ? ATURI(String(parts[1])) : nil)
  }

  public var description: String {
    "\(question.rawValue):\(answer.rawValue)" + (record.map { "=\($0)" } ?? "")
  }
}

extension Evidence {
  /// Creates evidence from an answer of `getRelationships` about an edge and its blocks.
  public init(_ info: RelationshipInfo) {
    self.init([Finding(.relationship, info.isFollowedBy ? .follows : .noFollow, info.followedBy)])
    let blocks: [(Answer, ATURI?)] = [
      (.blockedBy, info.blockedBy), (.blockedByList, info.blockedByList), (.blocking, info.blocking),
      (.blockingByList, info.blockingByList),
    ]
    for (answer, record) in blocks where record != nil {
      findings.append(Finding(.relationship, answer, record))
    }
  }
}

extension Evidence {
  /// What an answer can prove about an account.
  public enum Claim: String, Sendable, Hashable, CaseIterable {
    /// It is registered, or was shown.
    case exists
    /// It is gone for good.
    case deleted
    /// It is suspended or taken down.
    case suspended
    /// It follows the actor; in the actor's own records, the actor follows it.
    case follows
    /// It does not.
    case doesNotFollow = "does not follow"
  }
}

extension Evidence.Question {
  /// Whether an AppView is asked, and its answer says whether it shows the account.
  fileprivate var isOfAppView: Bool { [.profile, .profiles, .listing].contains(self) }
}

extension Evidence.Finding {
  /// What the answer proves; see the table in docs/PROTOCOL.md.
  ///
  /// - Parameter isShown: whether an answer proves that the AppView shows the account.
  public func claims(isShown: Bool) -> Set<Evidence.Claim> {
    switch (question, answer) {
    case (.profile, .active), (.profile, .invalidHandle), (.profile, .deactivated), (.profiles, .active),
      (.profiles, .invalidHandle), (.listing, .active), (.listing, .invalidHandle), (.server, .active),
      (.server, .deactivated), (.directory, .registered):
      [.exists]
    case (.profile, .takenDown), (.profile, .suspended), (.server, .takenDown), (.server, .suspended):
      [.exists, .suspended]
    case (.directory, .deleted), (.server, .deleted): [.deleted]
    case (.relationship, .follows), (.listing, .follows), (.records, .follows): [.follows]
    case (.relationship, .noFollow):
      Evidence.edge(isReturned: false, isShown: isShown) == false ? [.doesNotFollow] : []
    case (.records, .noRecord): [.doesNotFollow]
    default: []
    }
  }
}
