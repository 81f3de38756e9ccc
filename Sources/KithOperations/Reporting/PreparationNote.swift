// SPDX-License-Identifier: Apache-2.0

import KithPosts
public import KithRelationships
public import KithWriting

/// What the preparation of a change has found, and what a person should know about it.
public enum PreparationNote: Sendable {
  /// Nothing was given of what the change is about, in the plural, such as `accounts`.
  case noInput(String)
  /// Nothing that was given is left.
  case noneMatch
  /// The number of accounts that are left out by name, and the first of their names.
  case accountsExcluded(Int, first: [String])
  /// The people that were found.
  case peopleFound(PeopleFound)
  /// What was found of a number of contacts.
  case contactsMatched(ContactsMatched)
  /// Whether the accounts want to be asked before they are followed was not looked up.
  case approvalNotAsked
  /// Followers were examined before they are followed back.
  case followBackScreened(FollowBackScreening)
  /// How fast followers are followed back.
  case followBackPaced(perHour: Int?, perDay: Int?)
  /// Requests, acceptances and policies are public.
  case friendsArePublic
  /// What became of friend requests.
  case friendsSynced(FriendSyncCounts)
  /// A list was compared with the friends of the account.
  case audienceCompared(friends: Int, undecided: Int)
  /// Which members of a list that is blocked or muted the account follows.
  case listReach(ListReach)
  /// A list that says who may reply is public.
  case listIsPublic
  /// What an import would create.
  case importPlanned(ImportPreview)
  /// Rows of these kinds speak for the account, and have a question of their own.
  case statementsAreApart([PortableRelationship.Kind])
  /// What would be published.
  case postsComposed(PostComposition)
  /// What became of a report, and why it was not accepted or may not have arrived.
  case reported(ReportRow, RepositoryError?)
}

extension PreparationNote {
  /// How important it is.
  public var level: Note.Level {
    switch self {
    case .friendsSynced(let sync): sync.unknown > 0 ? .warning : .note
    case .audienceCompared(_, let undecided): undecided > 0 ? .warning : .note
    case .contactsMatched(let outcome): outcome.unknown > 0 ? .warning : .note
    case .reported(_, let failure): failure == nil ? .note : .error
    default: .note
    }
  }

  /// What kind of note it is.
  public var code: Note.Code { content.code }

  /// The values that a sentence about it mentions.
  public var fields: [OutputField] { content.fields }

  private var content: (code: Note.Code, fields: [OutputField]) {
    switch self {
    case .noInput(let noun): return (.noInput, [OutputField("noun", .string(noun))])
    case .noneMatch: return (.noneMatch, [])
    case .accountsExcluded(let count, let names):
      return (
        .accountsExcluded,
        [
          OutputField("count", .integer(count)),
          OutputField("names", .array(names.map { .string($0) })),
        ]
      )
    case .peopleFound(let outcome): return (.peopleFound, outcome.fields)
    case .contactsMatched(let outcome): return (.contactsMatched, outcome.fields)
    case .approvalNotAsked: return (.approvalNotAsked, [])
    case .followBackScreened(let candidates): return (.followBackScreened, candidates.fields)
    case .followBackPaced(let hour, let day):
      return (.followBackPaced, [OutputField("perHour", .number(hour)), OutputField("perDay", .number(day))])
    case .friendsArePublic: return (.friendsArePublic, [])
    case .friendsSynced(let sync): return (.friendsSynced, sync.fields)
    case .audienceCompared(let friends, let undecided):
      return (
        .audienceCompared,
        [
          OutputField("friends", .integer(friends)),
          OutputField("undecided", .integer(undecided)),
        ]
      )
    case .listReach(let reach): return (.listReach, reach.fields)
    case .listIsPublic: return (.listIsPublic, [])
    case .importPlanned(let preview): return (.importPreview, preview.fields)
    case .statementsAreApart(let kinds):
      return (.statementsAreApart, [OutputField("kinds", .array(kinds.map { .string($0.rawValue) }))])
    case .postsComposed(let composition): return (.postPreview, composition.fields)
    case .reported(let row, let failure):
      return (
        .reported,
        [
          OutputField("input", .string(row.input)), OutputField("id", .number(row.receipt?.id)),
          OutputField("cause", .cause(failure)),
        ]
      )
    }
  }
}

extension FollowBackScreening {
  var fields: [OutputField] {
    [
      OutputField("followers", .integer(followers)), OutputField("blocked", .integer(blocked)),
      OutputField("muted", .integer(muted)), OutputField("unknown", .integer(unknown)),
      OutputField(
        "labelled",
        .object(
          labelled.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { OutputField($0.key, .integer($0.value)) })),
    ]
  }
}

extension FriendSyncCounts {
  fileprivate var fields: [OutputField] {
    [
      OutputField("allowed", .integer(allowed)), OutputField("settled", .integer(settled)),
      OutputField("ended", .integer(ended)), OutputField("early", .integer(early)),
      OutputField("withdrawn", .integer(withdrawn)), OutputField("open", .integer(open)),
      OutputField("unknown", .integer(unknown)),
    ]
  }
}

extension ListReach {
  fileprivate var fields: [OutputField] {
    guard let followed else { return [OutputField("list", .text(list))] }
    return [
      OutputField("list", .text(list)), OutputField("followed", .integer(followed.count)),
      OutputField("mutuals", .integer(followed.count(where: \.isMutual))),
      OutputField("accounts", .array(followed.map { .string($0.name) })),
      OutputField("partial", .bool(isPartial)),
    ]
  }
}

extension ImportPreview {
  fileprivate var fields: [OutputField] {
    counts.map { kind, counts in
      OutputField(
        kind.rawValue,
        .object([
          OutputField("planned", .integer(counts.planned)),
          OutputField("unchanged", .integer(counts.unchanged)),
          OutputField("repeated", .integer(counts.repeated)),
          OutputField("refused", .integer(counts.refused)), OutputField("inJobs", .integer(counts.inJobs)),
        ]))
    }
  }
}

extension PostComposition {
  fileprivate var fields: [OutputField] {
    [
      OutputField("texts", .array(drafts.map { .string($0.text.text) })),
      OutputField("unknownHandles", .array(unknownHandles.map { .text($0) })),
      OutputField("unresolvedHandles", .array(unresolvedHandles.map { .text($0) })),
      OutputField("card", .text(drafts.first?.card?.title)),
      OutputField("cardPicture", .number(cardPicture?.bytes.count)),
      OutputField("cardFault", .cause(cardFault)), OutputField("audienceFault", .cause(audienceFault)),
    ]
  }
}
