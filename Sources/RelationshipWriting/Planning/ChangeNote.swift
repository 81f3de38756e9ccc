// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
public import Relationships

/// Something that people should know about a change: what the protocol cannot do, or what goes along with it.
public struct ChangeNote: Sendable, Hashable, CustomStringConvertible {
  /// What it is about.
  public let code: Code
  /// One plain sentence, without a full stop.
  public let description: String
  /// The job that it concerns, where it is one.
  public let job: JobID?

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
    /// What stands between the two accounts was not learned; other notes may be missing for that.
    public static let relationshipNotLearned = Code(rawValue: "relationshipNotLearned")
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

  init(_ code: Code, _ words: String, job: JobID? = nil) {
    self.code = code
    description = words
    self.job = job
  }

  static let followerStays = ChangeNote(
    .followerStays, "it follows you: nobody can remove another's follow record, the block hides it")
  static let followsStayGone = ChangeNote(
    .followsStayGone, "follows that ended with the block do not come back by themselves")
  static let listsNotLearned = ChangeNote(
    .listsNotLearned, "whether a list still blocks it could not be learned")
  static let relationshipNotLearned = ChangeNote(
    .relationshipNotLearned,
    "the AppView did not tell how the two accounts stand: notes about blocks and follows may be missing")
  static let youBlockIt = ChangeNote(.hiddenByBlock, "you block it: the follow stays hidden until you do not")
  static let itBlocksYou = ChangeNote(
    .hiddenByBlock, "it blocks you: the follow stays hidden until it does not")
  static let namedTwice = ChangeNote(.namedTwice, "it was named before")

  static func blockedByList(_ list: ATURI, of account: DID) -> ChangeNote {
    ChangeNote(.blockedByList, "a list blocks it (\(list)): \(list.wayOut(of: account))")
  }

  /// Of an account that is blocked: it stays blocked, whatever becomes of the list.
  static func alsoBlockedByList(_ list: ATURI) -> ChangeNote {
    ChangeNote(.blockedByList, "a list blocks it as well (\(list))")
  }

  static func mutedByList(_ list: ATURI) -> ChangeNote {
    ChangeNote(.mutedByList, "a list mutes it (\(list)): unmute the list, too, to see it")
  }

  /// Of an account that is muted: it stays muted, whatever becomes of the list.
  static func alsoMutedByList(_ list: ATURI) -> ChangeNote {
    ChangeNote(.mutedByList, "a list mutes it as well (\(list))")
  }

  static func duplicates(_ count: Int) -> ChangeNote {
    ChangeNote(.duplicates, "\(count) records say the same, and all are removed")
  }

  static func keepsOldest(of count: Int) -> ChangeNote {
    ChangeNote(.duplicates, "\(count) records say the same; the oldest is kept")
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

extension ChangeNote.Code {
  /// A job has something to do about the same subject.
  public static let openJob = Self(rawValue: "openJob")
  /// What holds for a time is to last from now on.
  public static let endDropped = Self(rawValue: "endDropped")
  /// What holds for a time ends at another one from now on.
  public static let endMoved = Self(rawValue: "endMoved")
  /// What holds already is not given an end.
  public static let keepsItsEnd = Self(rawValue: "keepsItsEnd")
}

extension ChangeRefusal.Code {
  /// A job is about to do the same.
  public static let awaited = Self(rawValue: "awaited")
}

extension ChangeNote {
  static func openJob(_ job: JobID) -> ChangeNote {
    ChangeNote(.openJob, "job \(job) still has something to do about it", job: job)
  }

  static func endDropped(_ end: Datetime) -> ChangeNote {
    ChangeNote(.endDropped, "it was to end at \(end), and lasts now")
  }

  static func endMoved(from former: Datetime?, to end: Datetime) -> ChangeNote {
    let before = former.map { "it was to end at \($0)" } ?? "it was to last"
    return ChangeNote(.endMoved, "\(before), and ends at \(end) now")
  }

  static let keepsItsEnd = ChangeNote(
    .keepsItsEnd, "it holds already and is not taken back: only what is changed now gets an end")
}

extension ChangeRefusal {
  static func awaited(_ job: JobID) -> ChangeRefusal {
    ChangeRefusal(.awaited, "job \(job) is to do the same and is not done", jobNumber: job.number)
  }

  /// The job that is in the way, where it is one.
  public var job: JobID? { jobNumber.map(JobID.init(number:)) }
}
