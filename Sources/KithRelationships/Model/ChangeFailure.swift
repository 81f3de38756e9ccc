// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Why a `RelationshipWriter` did not make a requested change.
public enum ChangeFailure: CodedError {
  /// The change was not attempted.
  case refused(ChangeRefusal)
  /// The write budget is exhausted until then; nil if the change never fits. Nothing was sent.
  case budgetExhausted(until: Datetime?)
  /// The repository rejected the change or could not be reached; the outcome is unknown if its code is
  /// ``RepositoryError/Code/inDoubt``.
  case failed(RepositoryError)

  public static let domain = "change"

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// ``ChangeFailure/refused(_:)``; the code of the cause says why.
    public static let refused = Code(description: "refused")
    /// ``ChangeFailure/budgetExhausted(until:)``.
    public static let budgetExhausted = Code(description: "budgetExhausted")
    /// ``ChangeFailure/failed(_:)``; the code of the cause says why.
    public static let failed = Code(description: "failed")
  }

  public var code: Code {
    switch self {
    case .refused: .refused
    case .budgetExhausted: .budgetExhausted
    case .failed: .failed
    }
  }

  public var detail: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .budgetExhausted(let until):
      until.map { "write budget exhausted until \($0)" }
        ?? "costs more points than the write budget allows"
    case .failed(let error): error.description
    }
  }

  /// The ``ChangeRefusal`` or the ``RepositoryError``; nil for an exhausted budget.
  public var underlying: (any Error)? {
    switch self {
    case .refused(let refusal): refusal
    case .budgetExhausted: nil
    case .failed(let error): error
    }
  }

  public var retryAfter: Duration? { codedCause?.retryAfter }

  public var isTransient: Bool {
    if case .budgetExhausted(let until) = self { until != nil } else { codedCause?.isTransient ?? false }
  }

  public var errorDescription: String? {
    guard case .budgetExhausted(let until) = self else { return sentenceOfCause }
    return until == nil
      ? "This needs more changes than the limit allows." : "Too many changes; try again later."
  }

  public static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.refused(let refusal), .refused(let other)): refusal == other
    case (.budgetExhausted(let end), .budgetExhausted(let other)): end == other
    case (.failed(let error), .failed(let other)): error == other
    default: false
    }
  }

  /// Whether the change may have happened anyway.
  public var isInDoubt: Bool {
    if case .failed(let error) = self { error.code == .inDoubt } else { false }
  }
}

/// Why a change is not attempted.
public struct ChangeRefusal: CodedError {
  public static let domain = "refusal"

  /// The kind of reason.
  public let code: Code
  /// The reason as half a sentence, with the remedy if there is one.
  public let description: String
  /// The number of the conflicting job, if there is one.
  package let jobNumber: Int64?

  /// The kinds of reasons; the raw value appears in machine output. More may come.
  public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public var description: String { rawValue }

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Servers ignore relationships of an account with itself (Q4).
    public static let oneself = Code(rawValue: "oneself")
    /// Only a list blocks the account, so there is no direct block to delete.
    public static let blockedByList = Code(rawValue: "blockedByList")
    /// Only a list mutes the account, so there is no direct mute to remove.
    public static let mutedByList = Code(rawValue: "mutedByList")
    /// The AT-URI is not that of a list.
    public static let notAList = Code(rawValue: "notAList")
    /// A fact that the change depends on could not be read.
    public static let notLearned = Code(rawValue: "notLearned")
  }

  /// The description.
  public var detail: String { description }

  /// Whether a fact could not be read, or another job has to end first.
  public var isTransient: Bool { code == .notLearned || jobNumber != nil }

  public var errorDescription: String? {
    // By raw value, because most codes are declared by the planner of changes.
    switch code.rawValue {
    case "oneself": "This is your own account."
    case "blockedByList": "A list blocks this account, so it has no block of its own to remove."
    case "mutedByList": "A list mutes this account, so it has no mute of its own to remove."
    case "notAList": "This is not a list."
    case "notAPost": "This is not a post."
    case "notLearned": "What the change depends on could not be read, so nothing was changed."
    case "noSuchAccount": "This account does not exist."
    case "noSuchList": "This list does not exist."
    case "nameTaken": "You have a list of this name already."
    case "listIsThere": "This list exists again."
    case "notYourList": "This list is not yours."
    case "notYourPost": "This post is not yours."
    case "notYourRecord": "This record is not yours."
    case "hasOwnRules": "This record cannot be changed as a plain record."
    default: description.asSentence
    }
  }

  public static func == (one: Self, other: Self) -> Bool {
    one.code == other.code && one.description == other.description && one.jobNumber == other.jobNumber
  }

  /// Creates a refusal.
  ///
  /// - Parameter description: the reason as half a sentence.
  public init(_ code: Code, description: String) { self.init(code, description) }

  /// Creates a refusal.
  package init(_ code: Code, _ words: String, jobNumber: Int64? = nil) {
    self.code = code
    description = words
    self.jobNumber = jobNumber
  }
}
