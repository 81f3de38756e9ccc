// SPDX-License-Identifier: Apache-2.0

internal import KithCore
public import KithRelationships

/// A note for people about a change: what the protocol cannot do, or what else is changed with it.
public struct ChangeNote: Sendable, Hashable, CustomStringConvertible {
  /// What it is about.
  public let code: Code
  /// A short sentence without a full stop.
  public let description: String
  /// The job that it concerns, if any.
  public let job: JobID?

  /// The kinds of notes; the raw value is used in machine-readable output. More may be added.
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The other account's follow record remains.
    public static let followerStays = Code(rawValue: "followerStays")
    /// Follows that a block removed are not restored.
    public static let followsStayGone = Code(rawValue: "followsStayGone")
    /// A list blocks the account, regardless of a direct block.
    public static let blockedByList = Code(rawValue: "blockedByList")
    /// It is unknown whether a list blocks the account.
    public static let listsNotLearned = Code(rawValue: "listsNotLearned")
    /// The relationship of the two accounts is unknown, so other notes may be missing.
    public static let relationshipNotLearned = Code(rawValue: "relationshipNotLearned")
    /// A list mutes the account, regardless of a direct mute.
    public static let mutedByList = Code(rawValue: "mutedByList")
    /// Several records express the same edge.
    public static let duplicates = Code(rawValue: "duplicates")
    /// An AppView shows an edge that has no record in the repository.
    public static let ghost = Code(rawValue: "ghost")
    /// A block hides the follow.
    public static let hiddenByBlock = Code(rawValue: "hiddenByBlock")
    /// The same change was named before.
    public static let namedTwice = Code(rawValue: "namedTwice")
  }

  package init(_ code: Code, _ words: String, job: JobID? = nil) {
    self.code = code
    description = words
    self.job = job
  }

  static let followerStays = ChangeNote(
    .followerStays, "they follow you; the block hides that follow (only they can delete it)")
  static let followsStayGone = ChangeNote(
    .followsStayGone, "follows that the block removed are not restored")
  static let listsNotLearned = ChangeNote(
    .listsNotLearned, "could not check whether a list still blocks them")
  package static let relationshipNotLearned = ChangeNote(
    .relationshipNotLearned,
    "the AppView did not say how the accounts are related; notes about blocks and follows may be missing")
  static let youBlockIt = ChangeNote(
    .hiddenByBlock, "you block them; your follow stays hidden while you do")
  static let itBlocksYou = ChangeNote(
    .hiddenByBlock, "they block you; your follow stays hidden while they do")
  static let namedTwice = ChangeNote(.namedTwice, "duplicate of an earlier entry")

  static func blockedByList(_ list: ATURI, of account: DID) -> ChangeNote {
    ChangeNote(.blockedByList, "still blocked through list \(list): \(list.remedy(of: account))")
  }

  /// For an account that is also blocked directly: it stays blocked, whatever happens to the list.
  static func alsoBlockedByList(_ list: ATURI) -> ChangeNote {
    ChangeNote(.blockedByList, "also blocked through list \(list)")
  }

  static func mutedByList(_ list: ATURI) -> ChangeNote {
    ChangeNote(.mutedByList, "still muted through list \(list): unmute the list as well")
  }

  /// For an account that is also muted directly: it stays muted, whatever happens to the list.
  static func alsoMutedByList(_ list: ATURI) -> ChangeNote {
    ChangeNote(.mutedByList, "also muted through list \(list)")
  }

  static func duplicates(_ count: Int) -> ChangeNote {
    ChangeNote(.duplicates, "\(count) duplicate records; all are removed")
  }

  static func keepsOldest(of count: Int) -> ChangeNote {
    ChangeNote(.duplicates, "\(count) duplicate records; the oldest is kept")
  }

  static func ghost(_ edge: ATURI) -> ChangeNote {
    ChangeNote(
      .ghost,
      "the AppView shows \(edge), which is not in your repository: the AppView lags behind, or keeps a ghost "
        + "that cannot be removed")
  }
}

extension ATURI {
  /// How to end a block that comes from this list, or from this `listblock` record (Q6).
  func remedy(of account: DID) -> String {
    let unblocking = "unblock the list"
    guard authority == .did(account), collection == .list else { return unblocking }
    return "\(unblocking), or remove the account from it (the list is yours)"
  }
}

extension ChangeNote.Code {
  /// Such a list already exists.
  public static let listIsThere = Self(rawValue: "listIsThere")
  /// Records that are removed together with a list.
  public static let alsoRemoved = Self(rawValue: "goesAlong")
  /// A starter pack may be built on the list.
  public static let isReferredTo = Self(rawValue: "isReferredTo")
  /// Links and mentions are lost with the old description.
  public static let linksEnd = Self(rawValue: "linksEnd")
  /// A followed account is added to a moderation list.
  public static let isFollowed = Self(rawValue: "isFollowed")
}

extension ChangeNote {
  static let isReferredTo = ChangeNote(
    .isReferredTo, "starter packs use lists of this kind: one built on this list would lose its members")
  static let linksEnd = ChangeNote(.linksEnd, "links and mentions in the old description are lost")

  static func listIsThere(_ list: ATURI) -> ChangeNote {
    ChangeNote(.listIsThere, "you already have this list: \(list)")
  }

  static func alsoRemoved(items: Int, isBlocked: Bool) -> ChangeNote {
    var parts: [String] = []
    if items > 0 { parts.append("\(items) list member\(items == 1 ? "" : "s")") }
    if isBlocked { parts.append("your block of the list") }
    return ChangeNote(.alsoRemoved, "also removed: " + parts.joined(separator: ", "))
  }

  static func isFollowed(_ relationship: RelationshipInfo) -> ChangeNote {
    ChangeNote(.isFollowed, relationship.mutual ? "you follow each other" : "you follow them")
  }
}

extension ChangeNote.Code {
  /// Another job still has something to do with the same subject.
  public static let openJob = Self(rawValue: "openJob")
  /// A timed change becomes permanent.
  public static let endDropped = Self(rawValue: "endDropped")
  /// A change expires at another time than before.
  public static let endMoved = Self(rawValue: "endMoved")
  /// Something that an open job was about to do is cancelled, because it would end what is wanted now.
  public static let withdrawn = Self(rawValue: "withdrawn")
  /// A timed change keeps its end.
  public static let endKept = Self(rawValue: "endKept")
  /// A record exists with different content, which is kept.
  public static let recordStays = Self(rawValue: "recordStays")
  /// An existing state is not given an end.
  public static let keepsItsEnd = Self(rawValue: "keepsItsEnd")
}

extension ChangeRefusal.Code {
  /// Another job is about to do the same.
  public static let awaited = Self(rawValue: "awaited")
  /// Another job is about to change the same in another way.
  public static let contested = Self(rawValue: "contested")
  /// Another job may have changed this: the outcome of what it sent is unknown.
  public static let unsettled = Self(rawValue: "unsettled")
}

extension ChangeNote {
  static func openJob(_ job: JobID) -> ChangeNote {
    ChangeNote(.openJob, "job \(job) has unfinished changes here", job: job)
  }

  static func withdrawn(_ job: JobID) -> ChangeNote {
    ChangeNote(.withdrawn, "cancels what job \(job) was about to undo or change here", job: job)
  }

  static func endDropped(_ end: Datetime) -> ChangeNote {
    ChangeNote(.endDropped, "permanent now; it was to end at \(minute(end))")
  }

  static func endMoved(from former: Datetime?, to end: Datetime) -> ChangeNote {
    let before = former.map { "it was to end at \(minute($0))" } ?? "it was permanent"
    return ChangeNote(.endMoved, "ends at \(minute(end)) now; \(before)")
  }

  /// A time for people: `2026-12-03 09:30 UTC`.
  private static func minute(_ moment: Datetime) -> String {
    Datetime(at: moment.instant).description.prefix(16).replacing("T", with: " ") + " UTC"
  }

  static func endKept(_ end: Datetime) -> ChangeNote { ChangeNote(.endKept, "still ends at \(minute(end))") }

  static let recordStays = ChangeNote(.recordStays, "exists with different content, which is kept")

  static let keepsItsEnd = ChangeNote(
    .keepsItsEnd, "already in effect, and not undone later; only new changes get an end")
}

extension ChangeRefusal {
  static func awaited(_ job: JobID) -> ChangeRefusal {
    ChangeRefusal(.awaited, "job \(job) is about to do the same", jobNumber: job.number)
  }

  static func contested(_ job: JobID) -> ChangeRefusal {
    ChangeRefusal(.contested, "job \(job) is about to change the same in another way", jobNumber: job.number)
  }

  static func unsettled(_ job: JobID) -> ChangeRefusal {
    ChangeRefusal(
      .unsettled, "job \(job) may have changed this, and its outcome is unknown", jobNumber: job.number)
  }

  /// The list that is needed does not exist yet.
  static func needsList(of job: JobID) -> ChangeRefusal {
    ChangeRefusal(.contested, "job \(job) has to create the list first", jobNumber: job.number)
  }

  /// The job that is in the way, if any.
  public var job: JobID? { jobNumber.map(JobID.init(number:)) }
}
