// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons
public import KithRelationships

extension ChangeRefusal.Code {
  /// The list belongs to another account.
  public static let notYourList = Self(rawValue: "notYourList")
  /// There is no such list.
  public static let noSuchList = Self(rawValue: "noSuchList")
  /// Another list has this name.
  public static let nameTaken = Self(rawValue: "nameTaken")
  /// The record would violate its lexicon.
  public static let invalid = Self(rawValue: "invalid")
  /// The list exists, although it was thought to be missing.
  public static let listIsThere = Self(rawValue: "listIsThere")
  /// There are records, but none of them is valid.
  public static let malformed = Self(rawValue: "malformed")
  /// The account does not exist.
  public static let noSuchAccount = Self(rawValue: "noSuchAccount")
  /// The account is followed and must not be added to a moderation list.
  public static let followed = Self(rawValue: "followed")
}

extension ChangeRefusal {
  static func notYourList(_ list: ATURI) -> ChangeRefusal {
    ChangeRefusal(.notYourList, "\(list) is not yours; only \(list.authority) can change it")
  }

  static func noSuchAccount(_ account: DID) -> ChangeRefusal {
    ChangeRefusal(.noSuchAccount, "account \(account) does not exist")
  }

  static func noSoundRecord(of count: Int) -> ChangeRefusal {
    ChangeRefusal(.malformed, "none of the \(count) records is valid; remove them all and start again")
  }

  static func listIsThere(_ list: ATURI) -> ChangeRefusal {
    ChangeRefusal(.listIsThere, "\(list) exists again, so its members are not leftovers")
  }

  static func noSuchList(_ list: ATURI) -> ChangeRefusal {
    ChangeRefusal(.noSuchList, "you have no list \(list)")
  }

  static func nameTaken(_ name: String, by list: ATURI) -> ChangeRefusal {
    ChangeRefusal(
      .nameTaken,
      "you already have a list named \"\(name)\" (\(list)); edit that one, or choose another name")
  }

  static func invalid(_ reason: some CustomStringConvertible) -> ChangeRefusal {
    ChangeRefusal(.invalid, "invalid list: \(reason)")
  }

  /// The account must not be added to a moderation list unless that is explicitly allowed.
  static func followed(_ relationship: RelationshipInfo) -> ChangeRefusal {
    let words = relationship.mutual ? "you follow each other" : "you follow them"
    return ChangeRefusal(.followed, "\(words), and this is a moderation list")
  }
}

extension ChangeRefusal {
  static let oneself = ChangeRefusal(.oneself, "that is your own account")

  static func blockedByList(_ list: ATURI, of account: DID) -> ChangeRefusal {
    ChangeRefusal(
      .blockedByList, "blocked through list \(list), not directly: \(list.remedy(of: account))")
  }

  static func mutedByList(_ list: ATURI) -> ChangeRefusal {
    ChangeRefusal(.mutedByList, "muted through list \(list), not directly: unmute the list")
  }

  static func notAList(_ uri: ATURI) -> ChangeRefusal {
    ChangeRefusal(.notAList, "\(uri) is not a list; lists look like at://DID/\(NSID.list)/KEY")
  }

  static func unknown(_ what: String) -> ChangeRefusal {
    ChangeRefusal(.notLearned, "could not read \(what); nothing was changed")
  }
}
