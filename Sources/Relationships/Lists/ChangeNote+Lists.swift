// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

extension ChangeNote.Code {
  /// There is such a list already.
  public static let listIsThere = Self(rawValue: "listIsThere")
  /// What goes along with a list.
  public static let goesAlong = Self(rawValue: "goesAlong")
  /// A starter pack may be built on the list.
  public static let isReferredTo = Self(rawValue: "isReferredTo")
  /// Links and mentions of a description go with its old text.
  public static let linksEnd = Self(rawValue: "linksEnd")
  /// Somebody who is followed comes onto a moderation list.
  public static let isFollowed = Self(rawValue: "isFollowed")
}

extension ChangeNote {
  static let isReferredTo = ChangeNote(
    .isReferredTo, "starter packs refer to lists of its kind: one that is built on it would lose its members")
  static let linksEnd = ChangeNote(.linksEnd, "links and mentions in the old description end with it")

  static func listIsThere(_ list: ATURI) -> ChangeNote {
    ChangeNote(.listIsThere, "you have it already: \(list)")
  }

  static func goesAlong(items: Int, isBlocked: Bool) -> ChangeNote {
    var parts: [String] = []
    if items > 0 { parts.append("\(items) record\(items == 1 ? "" : "s") of who is on it") }
    if isBlocked { parts.append("your block of it") }
    return ChangeNote(.goesAlong, "removed with it: " + parts.joined(separator: ", "))
  }

  static func isFollowed(_ relationship: RelationshipInfo) -> ChangeNote {
    ChangeNote(.isFollowed, relationship.mutual ? "you follow each other" : "you follow it")
  }
}
