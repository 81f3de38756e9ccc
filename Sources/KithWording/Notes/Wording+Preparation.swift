// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithOperations
import KithPosts
import KithRelationships
import KithWriting

extension Wording {
  /// What a note about a preparation says; nil if there is nothing to say, as about a list of which the account follows no
  /// member.
  public func sentence(_ note: PreparationNote) -> String? {
    switch note {
    case .noInput(let noun): "no \(noun) given, nothing to do"
    case .noneMatch: "no accounts match; nothing to do"
    case .accountsExcluded(let count, let names): Self.words(excluded: count, names)
    case .peopleFound(let outcome): outcome.sentence(in: self)
    case .contactsMatched(let outcome): outcome.sentence(in: self)
    case .approvalNotAsked:
      "not checked whether these accounts want to be asked before they are followed; that is done for up to "
        + "\(FollowApprovals.mostAccounts) accounts" + hinted(.namedAccounts, after: " ")
    case .followBackScreened(let candidates): words(candidates)
    case .followBackPaced(let hour, let day):
      "at most "
        + [hour.map { "\($0) per hour" }, day.map { "\($0) per day" }].compactMap(\.self)
        .joined(separator: " and ") + ", because many follows at once get accounts suspended"
        + hinted(.changePace)
    case .friendsArePublic:
      "requests, acceptances and policies are public: anyone can see your requests and acceptances"
    case .friendsSynced(let sync): Self.words(sync)
    case .audienceCompared(let friends, let undecided):
      Counted.words(friends, "friend") + " by consent"
        + (undecided > 0 ? "; \(undecided) could not be checked and stay as they are" : "")
    case .listReach(let reach): Self.words(reach)
    case .listIsPublic: "lists are not private: anyone can see who is on this one"
    case .importPlanned(let preview): words(preview)
    case .statementsAreApart(let kinds):
      "some rows speak for your account and have a question of their own"
        + hinted(.confirmStatements(kinds.map(\.rawValue)))
    case .postsComposed(let composition):
      "\(Counted.words(composition.drafts.count, "post")) to publish: "
        + composition.drafts.map {
          "\"\($0.text.text.split(whereSeparator: \.isNewline).joined(separator: " "))\""
        }
        .joined(separator: "; ")
    case .reported(let row, let failure):
      if let failure {
        failure.code == .inDoubt
          ? "the report may have been sent, and is not sent again automatically, because each report counts: \(failure)"
          : "\(row.input): not reported: \(error(failure))"
      } else {
        "\(row.input): reported" + (row.receipt.map { " (report no. \($0.id))" } ?? "")
      }
    }
  }

  private static func words(excluded count: Int, _ names: [String]) -> String {
    let more = count > names.count && !names.isEmpty ? " and \(count - names.count) more" : ""
    let which = names.isEmpty ? "" : ": \(names.joined(separator: ", "))\(more)"
    return "\(Counted.words(count, "account")) excluded\(which)"
  }

  private func words(_ candidates: FollowBackScreening) -> String {
    let labelled = candidates.labelled.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let leftOut = Counted.words(
      [
        (candidates.blocked, "with a block"), (candidates.muted, "muted"),
        (candidates.unknown, "that the AppView does not describe"),
      ] + labelled.map { ($0.value, "labelled by \($0.key)") })
    return "\(Counted.words(candidates.followers, "follower")) to follow back"
      + (leftOut.isEmpty ? "" : "; left out: \(leftOut)")
  }

  private static func words(_ sync: FriendSyncCounts) -> String {
    "\(sync.allowed) allowed to follow, \(sync.ended) ended, \(sync.open) open"
      + (sync.settled > 0 ? ", \(sync.settled) allowed and not followed again" : "")
      + (sync.withdrawn > 0 ? ", \(sync.withdrawn) accepted and withdrawn since" : "")
      + (sync.early > 0 ? ", \(sync.early) ended by this machine's clock only, and left as they are" : "")
      + (sync.unknown > 0 ? ", \(sync.unknown) could not be checked" : "")
  }

  /// A sentence names at most this many accounts.
  private static let mostNames = 20

  /// The members of a list that the account follows; nil if there are none.
  private static func words(_ reach: ListReach) -> String? {
    guard let followed = reach.followed else {
      return "\(reach.list): its members could not be read, so you may follow some of them"
    }
    if followed.isEmpty, !reach.isPartial { return nil }
    let mutuals = followed.count(where: \.isMutual)
    let shown = followed.prefix(mostNames).map { $0.isMutual ? "\($0.name) (mutual)" : $0.name }
    let names = shown.joined(separator: ", ") + (followed.count > mostNames ? ", ..." : "")
    let share = reach.isPartial ? "the first \(ListReach.mostMembers) members" : "the members"
    return "\(reach.list): you follow \(followed.count) of \(share)"
      + (mutuals > 0 ? ", \(mutuals) of them mutual" : "") + (names.isEmpty ? "" : ": \(names)")
  }

  /// What an import is about to do, by kind.
  private func words(_ preview: ImportPreview) -> String {
    let parts = preview.counts.map { kind, counts in
      let others = [
        (counts.unchanged, "already present"),
        (counts.repeated, "duplicate\(counts.repeated == 1 ? "" : "s")"),
        (counts.refused, "refused"), (counts.inJobs, "in an unfinished job" + hinted(.showJobs, after: ", ")),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      return "\(counts.planned) \(kind.words(counts.planned))"
        + (others.isEmpty ? "" : " (\(others.joined(separator: ", ")))")
    }
    return "to create: " + (parts.isEmpty ? "nothing" : parts.joined(separator: ", "))
  }
}

extension PortableRelationship.Kind {
  fileprivate func words(_ count: Int) -> String {
    let noun =
      switch self {
      case .follow: "follow"
      case .block: "block"
      case .mute: "mute"
      case .list: "list"
      case .member: "member"
      case .listBlock: "blocked list"
      case .listMute: "muted list"
      case .friendRequest: "request"
      case .friendAnswer: "accepted request"
      case .friendPolicy: "policy"
      case .profile: "profile"
      default: "record"
      }
    let counted = count == 1 ? noun : noun + "s"
    return noun == "record" ? "\(counted) of \(rawValue)" : counted
  }
}
