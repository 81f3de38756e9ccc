// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Something that people should know about a change: what the protocol cannot do, or what goes along with it.
public struct ChangeNote: Sendable, Hashable, CustomStringConvertible {
  /// What it is about.
  public let code: Code
  /// One plain sentence, without a full stop.
  public let description: String

  /// The kinds of notes, by the word that stands in machine output; more may come.
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The other one's follow record stays where it is.
    public static let followerStays = Code(rawValue: "followerStays")
    /// Follows that a block took away stay away.
    public static let followsStayGone = Code(rawValue: "followsStayGone")
    /// A list blocks the account, whatever is done about the account itself.
    public static let blockedByList = Code(rawValue: "blockedByList")
    /// Whether a list blocks the account was not learned.
    public static let listsNotLearned = Code(rawValue: "listsNotLearned")
    /// A list mutes the account, whatever is done about the account itself.
    public static let mutedByList = Code(rawValue: "mutedByList")
    /// Several records make one edge.
    public static let duplicates = Code(rawValue: "duplicates")
    /// An AppView shows an edge of which the repository has no record.
    public static let ghost = Code(rawValue: "ghost")
    /// A block hides the follow.
    public static let hiddenByBlock = Code(rawValue: "hiddenByBlock")
    /// The same was named before.
    public static let namedTwice = Code(rawValue: "namedTwice")
  }

  init(_ code: Code, _ words: String) {
    self.code = code
    description = words
  }

  static let followerStays = ChangeNote(
    .followerStays, "it follows you: nobody can remove another's follow record, the block hides it")
  static let followsStayGone = ChangeNote(
    .followsStayGone, "follows that ended with the block do not come back by themselves")
  static let listsNotLearned = ChangeNote(
    .listsNotLearned, "whether a list still blocks it could not be learned")
  static let youBlockIt = ChangeNote(.hiddenByBlock, "you block it: the follow stays hidden until you do not")
  static let itBlocksYou = ChangeNote(
    .hiddenByBlock, "it blocks you: the follow stays hidden until it does not")
  static let namedTwice = ChangeNote(.namedTwice, "it was named before")

  static func blockedByList(_ list: ATURI, of account: DID) -> ChangeNote {
    ChangeNote(.blockedByList, "a list blocks it (\(list)): \(list.wayOut(of: account))")
  }

  static func mutedByList(_ list: ATURI) -> ChangeNote {
    ChangeNote(.mutedByList, "a list mutes it (\(list)): unmute the list, too, to see it")
  }

  static func duplicates(_ count: Int) -> ChangeNote {
    ChangeNote(.duplicates, "\(count) records say the same, and all are removed")
  }

  static func ghost(_ edge: ATURI) -> ChangeNote {
    ChangeNote(
      .ghost,
      "the AppView shows \(edge), which your repository does not have: it lags behind, or keeps a ghost "
        + "that nothing can remove")
  }
}

extension ATURI {
  /// How a block that comes from this list, or from this `listblock` record (Q6), ends.
  func wayOut(of account: DID) -> String {
    let unblocking = "unblock the list"
    guard authority == .did(account), collection == .list else { return unblocking }
    return "\(unblocking), or take the account off it, for the list is yours"
  }
}
