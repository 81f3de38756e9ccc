// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithOperations

extension FindPeople.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    let leftOut = Counted.words([
      (blocked, "with a block"), (muted, "muted"), (dismissed, "dismissed"),
      (optedOut, "that ask not to be recommended"),
      (unreachable, "whose servers could not be asked whether they want to be recommended"),
      (notShown, "not shown by the AppView"),
    ])
    var parts = [rows.count == 0 ? "none found" : Counted.words(rows.count, "account")]
    if !leftOut.isEmpty { parts.append("left out: \(leftOut)") }
    if isHiddenByServer { parts.append("accounts with a block are left out by the server and not counted") }
    if let reach, reach.follows == 0 {
      parts.append("the account does not follow anyone yet" + wording.hinted(.findPeople))
    } else if let reach {
      parts.append(
        "from \(reach.looked) of \(reach.follows) accounts that are followed"
          + (reach.unknown > 0 ? " (\(reach.unknown) could not be read)" : ""))
    }
    if unchecked > 0 { parts.append("\(unchecked) not checked for whether they want to be recommended") }
    return parts.joined(separator: "; ")
  }
}

extension MatchContacts.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    let parts = [
      "\(Counted.words(contacts, "contact")): \(selected) selected",
      followed > 0 ? "\(followed) followed already" : nil,
      ambiguous > 0 ? "\(ambiguous) with several accounts that fit alike" : nil,
      "\(matched - selected - followed - ambiguous) with one signal only",
      unknown > 0 ? "\(unknown) could not be looked for" : nil,
      "\(contacts - matched - unknown) without a match",
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

extension DismissPeople.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    let rest =
      unchanged == 0 ? "" : "; \(unchanged) \(areTakenBack ? "were not dismissed" : "were dismissed before")"
    return areTakenBack
      ? "\(Counted.words(changed, "account")) may be suggested again\(rest)"
      : "\(Counted.words(changed, "account")) will not be suggested again\(rest)"
  }
}

extension ShowProfile.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    isShown ? "the AppView shows the account" : "the AppView does not show the account"
  }
}

extension ProfilePage.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String { page }
}

// MARK: Friends

extension ListFriends.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    let isEmpty = friends + mutuals + undecided == 0
    return Counted.words(friends, "friend") + " by consent"
      + (mutuals > 0 ? ", \(Counted.words(mutuals, "other mutual"))" : "")
      + (undecided > 0 ? "; \(undecided) could not be checked" : "")
      + (isEmpty ? wording.hinted(.askFriends) : "")
  }
}

extension ListReceivedRequests.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    let leftOut = Counted.words([
      (blocked, "blocked or muted"), (excluded, "excluded by your policy"), (accepted, "accepted"),
      (declined, "declined"), (expired, "ended"), (gone, "withdrawn or malformed"),
      (withoutRequest, "without a request"), (unknown, "not readable"),
    ])
    return "\(Counted.words(rows.count, "request"))\(origin(wording)); others may be missing"
      + (leftOut.isEmpty ? "" : "; left out: \(leftOut)")
      + (onWeaver > 0 ? "; \(onWeaver) on Weaver wait for your approval there" : "")
  }

  /// Where requests were looked for.
  private func origin(_ wording: Wording) -> String {
    let pages = pages > 1 ? ", page \(page) of \(pages)" : ""
    func rest(after count: Int) -> String {
      hasMore ? wording.hinted(.continueFrom(.after(count))) : ""
    }
    switch source {
    case .index(let after):
      let part = after > 0 ? "\(looked) of \(known ?? 0) ranked, after the first \(after)" : nil
      return " that the index knows\(pages)"
        + (known.map { ": \(part ?? "the newest \(looked) of \($0) ranked")" } ?? "")
        + (mutuals > 0 ? "; also read: repositories of \(Counted.words(mutuals, "mutual"))" : "")
        + rest(after: after + ListReceivedRequests.rankedAtOnce)
    case .neighbours(let after, let most):
      return
        "\(pages), from the repositories of \(Counted.words(looked, "account")) that follow you or that you follow"
        + rest(after: after + most)
    case .accounts: return "\(pages), from the repositories of \(Counted.words(looked, "account"))"
    }
  }
}

extension ListSentRequests.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    if unreadable > 0 {
      return
        "\(Counted.words(unreadable, "record")) in the collections of requests and answers could not be understood"
    }
    return rows.count > 0
      ? Counted.words(rows.count, "request") : "no friend requests" + wording.hinted(.makeFirst(.request))
  }
}

extension ShowFriendPolicy.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    policy == nil
      ? "the account does not take part in friend requests" : "the account takes part in friend requests"
  }
}
