// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithOperations
import KithPosts

extension ReadFeed.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String { wording.read(self) }
}

extension Wording {
  /// What was read of a feed.
  ///
  /// - Parameter selection: which feed was asked for; nil if its next step need not be said.
  public func read(_ outcome: ReadFeed.Outcome, of selection: ReadFeed.Selection? = nil) -> String {
    let (coverage, accounts) = (outcome.coverage, outcome.accounts)
    var parts = [
      "\(Counted.words(outcome.rows.count, "post")) from \(outcome.origin)\(TimeWords.since(outcome.since))"
    ]
    if accounts?.all == 0, let next = selection.flatMap({ hint(.beginFeed($0)) }) { parts.append(next) }
    if outcome.endedBySince { parts.append("ended at a page of older posts") }
    let leftOut = Counted.words(coverage.leftOut.words + [(coverage.unreadable, "unreadable")])
    if !leftOut.isEmpty { parts.append("left out: \(leftOut)") }
    let missing = Counted.words([
      ((accounts?.blocked ?? 0) + coverage.accountsBlocked, "with a block"), (accounts?.muted ?? 0, "muted"),
      ((accounts?.notShown ?? 0) + coverage.accountsGone, "not shown by the AppView"),
      (coverage.accountsUnread, "that could not be read"),
    ])
    if !missing.isEmpty { parts.append("accounts left out: \(missing)") }
    if outcome.isHiddenByServer {
      parts.append("what the server hides because of blocks and mutes is not counted")
    }
    if let cursor = outcome.cursor, let next = hint(.continueFrom(.feed(cursor.description))) {
      parts.append(next)
    }
    return parts.joined(separator: "; ")
  }
}

extension ReadFeed.Outcome {
  /// Where its entries come from.
  fileprivate var origin: String {
    let accounts = accounts.map { accounts in
      accounts.read == accounts.all
        ? Counted.words(accounts.all, "account")
        : "\(accounts.read) of \(Counted.words(accounts.all, "account"))"
    }
    return switch source {
    case .timeline: accounts.map { "your timeline, which has all of \($0)" } ?? "your timeline"
    case .list: "the feed of the list"
    case .author: "the feed of the account"
    case .authors: "the feeds of \(accounts ?? "accounts")"
    }
  }
}

extension LeftOutCounts {
  /// The counts, each with its words.
  fileprivate var words: [(Int, String)] {
    [
      (blocked, "with a block"), (muted, "muted"),
      (unknown, "of accounts that may be blocked: no server said"),
    ]
  }
}

extension ReadThread.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    let leftOut = Counted.words(leftOut.words)
    return Counted.words(rows.count, "post") + (leftOut.isEmpty ? "" : "; answers left out: \(leftOut)")
  }
}

extension ReadNotifications.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    var parts = [Counted.words(count, "notification") + TimeWords.since(since)]
    let leftOut = Counted.words(leftOut.words + [(unreadable, "unreadable")])
    if !leftOut.isEmpty { parts.append("left out: \(leftOut)") }
    if let postsFault {
      parts.append("could not read the posts that they are about: \(wording.error(postsFault))")
    }
    if let unread {
      let all = kinds.isEmpty ? "" : " of all kinds"
      parts.append("the server counts \(unread) unread\(all), with those that it does not list")
    }
    if let seen {
      parts.append("marked as seen up to \(seen), in every app; this also clears the badge on your phone")
    }
    if let unseen {
      let missing = "\(Counted.words(unseen, "unread one")) \(unseen == 1 ? "is" : "are") not listed here"
      parts.append("nothing is marked as seen, because \(missing)")
    }
    return parts.joined(separator: "; ")
  }
}
