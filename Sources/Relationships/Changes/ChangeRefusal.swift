// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Why a change is not even tried.
public struct ChangeRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of reason.
  public let code: Code
  /// The reason as a half-sentence, with the way out where there is one.
  public let description: String

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

  init(_ code: Code, _ words: String) {
    self.code = code
    description = words
  }

  static let oneself = ChangeRefusal(.oneself, "that is yourself")

  static func blockedByList(_ list: ATURI, of account: DID) -> ChangeRefusal {
    ChangeRefusal(
      .blockedByList, "no block of yours but a list blocks it (\(list)): \(list.wayOut(of: account))")
  }

  static func mutedByList(_ list: ATURI) -> ChangeRefusal {
    ChangeRefusal(.mutedByList, "no mute of yours but a list mutes it (\(list)): unmute the list")
  }

  static func notAList(_ uri: ATURI) -> ChangeRefusal {
    ChangeRefusal(.notAList, "\(uri) names no list: it should be at://DID/\(NSID.list)/KEY")
  }

  static func notLearned(_ what: String) -> ChangeRefusal {
    ChangeRefusal(.notLearned, "\(what) could not be learned, and nothing is changed on a guess")
  }
}
