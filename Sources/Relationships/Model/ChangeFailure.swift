// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Why something that a ``RelationshipWriter`` was asked for is not so.
public enum ChangeFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// It was not tried.
  case refused(ChangeRefusal)
  /// The write budget is used up until then; nil where it never has room. Nothing was sent.
  case budgetExhausted(until: Datetime?)
  /// The repository did not take it, or could not be asked; in doubt where its code is
  /// ``RepositoryError/Code/inDoubt``.
  case failed(RepositoryError)

  public var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .budgetExhausted(let until):
      until.map { "the points of the write budget are used up until \($0)" }
        ?? "it costs more points than the write budget ever allows"
    case .failed(let error): error.description
    }
  }

  /// Whether it may have happened all the same.
  public var isInDoubt: Bool {
    if case .failed(let error) = self { error.code == .inDoubt } else { false }
  }
}

/// Why a change is not even tried.
public struct ChangeRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of reason.
  public let code: Code
  /// The reason as a half-sentence, with the way out where there is one.
  public let description: String
  /// The number of the job that is in the way, where it is one.
  package let jobNumber: Int64?

  /// The kinds of reasons, by the word that stands in machine output; more may come.
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Servers ignore what one does to oneself (Q4).
    public static let oneself = Code(rawValue: "oneself")
    /// Only a list blocks the account, and that is ended elsewhere.
    public static let blockedByList = Code(rawValue: "blockedByList")
    /// Only a list mutes the account, and that is ended elsewhere.
    public static let mutedByList = Code(rawValue: "mutedByList")
    /// The AT-URI names no list.
    public static let notAList = Code(rawValue: "notAList")
    /// What has to be known first was not learned.
    public static let notLearned = Code(rawValue: "notLearned")
  }

  /// Puts a reason together.
  package init(_ code: Code, _ words: String, jobNumber: Int64? = nil) {
    self.code = code
    description = words
    self.jobNumber = jobNumber
  }
}
