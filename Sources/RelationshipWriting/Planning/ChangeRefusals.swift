// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons
public import Relationships

extension ChangeRefusal.Code {
  /// The list belongs to somebody else.
  public static let notYourList = Self(rawValue: "notYourList")
  /// There is no such list.
  public static let noSuchList = Self(rawValue: "noSuchList")
  /// Another list has the name.
  public static let nameTaken = Self(rawValue: "nameTaken")
  /// The record would break its lexicon.
  public static let invalid = Self(rawValue: "invalid")
  /// There is such a list, where none was thought to be.
  public static let listIsThere = Self(rawValue: "listIsThere")
  /// Records are there, and none is as its lexicon wants it.
  public static let malformed = Self(rawValue: "malformed")
  /// There is no such account.
  public static let noSuchAccount = Self(rawValue: "noSuchAccount")
  /// A moderation list is not to take in whom one follows.
  public static let followed = Self(rawValue: "followed")
}

extension ChangeRefusal {
  static func notYourList(_ list: ATURI) -> ChangeRefusal {
    ChangeRefusal(.notYourList, "\(list) is not yours: only \(list.authority) can change it")
  }

  static func noSuchAccount(_ account: DID) -> ChangeRefusal {
    ChangeRefusal(.noSuchAccount, "there is no account \(account)")
  }

  static func noSoundRecord(of count: Int) -> ChangeRefusal {
    ChangeRefusal(.malformed, "none of its \(count) records is as its lexicon wants it: make the edge anew")
  }

  static func listIsThere(_ list: ATURI) -> ChangeRefusal {
    ChangeRefusal(.listIsThere, "\(list) is there again, and so its members are no leftovers")
  }

  static func noSuchList(_ list: ATURI) -> ChangeRefusal {
    ChangeRefusal(.noSuchList, "you have no list \(list)")
  }

  static func nameTaken(_ name: String, by list: ATURI) -> ChangeRefusal {
    ChangeRefusal(
      .nameTaken,
      "another list of yours is named \"\(name)\" (\(list)): edit that one, or choose another name")
  }

  static func invalid(_ reason: some CustomStringConvertible) -> ChangeRefusal {
    ChangeRefusal(.invalid, "a list cannot be so: \(reason)")
  }

  /// What may not come onto a moderation list without being named as such.
  static func followed(_ relationship: RelationshipInfo) -> ChangeRefusal {
    let words = relationship.mutual ? "you follow each other" : "you follow it"
    return ChangeRefusal(.followed, "\(words), and this is a moderation list")
  }
}

extension ChangeRefusal {
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
