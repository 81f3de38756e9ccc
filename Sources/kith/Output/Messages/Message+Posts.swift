// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithPosts

extension Message {
  static func feedRead(_ outcome: ReadFeed.Outcome) -> Message {
    let coverage = outcome.coverage
    var parts = ["\(counted(outcome.rows.count, "post")) from \(words(outcome))"]
    let leftOut = counted([
      (coverage.blocked, "with a block"), (coverage.muted, "muted"),
      (coverage.unknown, "of accounts that may be blocked: no server said"),
      (coverage.unreadable, "unreadable"),
    ])
    if !leftOut.isEmpty { parts.append("left out: \(leftOut)") }
    let accounts = counted([
      ((outcome.accounts?.blocked ?? 0) + coverage.accountsBlocked, "with a block"),
      (outcome.accounts?.muted ?? 0, "muted"),
      ((outcome.accounts?.notShown ?? 0) + coverage.accountsGone, "not shown by the AppView"),
      (coverage.accountsUnread, "that could not be read"),
    ])
    if !accounts.isEmpty { parts.append("accounts left out: \(accounts)") }
    if outcome.isHiddenByServer {
      parts.append("what the server hides because of blocks and mutes is not counted")
    }
    if let cursor = outcome.cursor {
      parts.append("continue with \(cursor.description.asValue(of: "--cursor"))")
    }
    return Message(
      .summary, .feedRead, parts.joined(separator: "; "),
      [
        "posts": .integer(outcome.rows.count), "source": .string(outcome.source.rawValue),
        "accounts": .number(outcome.accounts?.read), "allAccounts": .number(outcome.accounts?.all),
        "blocked": .integer(coverage.blocked), "muted": .integer(coverage.muted),
        "unknown": .integer(coverage.unknown), "unreadable": .integer(coverage.unreadable),
        "accountsBlocked": .integer((outcome.accounts?.blocked ?? 0) + coverage.accountsBlocked),
        "accountsMuted": .integer(outcome.accounts?.muted ?? 0),
        "accountsNotShown": .integer((outcome.accounts?.notShown ?? 0) + coverage.accountsGone),
        "accountsUnread": .integer(coverage.accountsUnread),
        "isHiddenByServer": .bool(outcome.isHiddenByServer), "cursor": .text(outcome.cursor?.description),
      ])
  }

  private static func words(_ outcome: ReadFeed.Outcome) -> String {
    let accounts = outcome.accounts.map { accounts in
      accounts.read == accounts.all
        ? counted(accounts.all, "account") : "\(accounts.read) of \(counted(accounts.all, "account"))"
    }
    return switch outcome.source {
    case .timeline: accounts.map { "your timeline, which has all of \($0)" } ?? "your timeline"
    case .list: "the feed of the list"
    case .author: "the feed of the account"
    case .authors: "the feeds of \(accounts ?? "accounts")"
    }
  }

  static func threadRead(_ outcome: ReadThread.Outcome) -> Message {
    let leftOut = counted([
      (outcome.blocked, "with a block"), (outcome.muted, "muted"),
      (outcome.unknown, "of accounts that may be blocked: no server said"),
    ])
    return Message(
      .summary, .threadRead,
      counted(outcome.rows.count, "post") + (leftOut.isEmpty ? "" : "; answers left out: \(leftOut)"),
      [
        "posts": .integer(outcome.rows.count), "blocked": .integer(outcome.blocked),
        "muted": .integer(outcome.muted), "unknown": .integer(outcome.unknown),
      ])
  }

  static func notificationsRead(_ outcome: ReadNotifications.Outcome) -> Message {
    var parts = [counted(outcome.rows.count, "notification")]
    let leftOut = counted([
      (outcome.blocked, "with a block"), (outcome.muted, "muted"),
      (outcome.unknown, "of accounts that may be blocked: no server said"),
      (outcome.unreadable, "unreadable"),
    ])
    if !leftOut.isEmpty { parts.append("left out: \(leftOut)") }
    if let unread = outcome.unread {
      parts.append("the server counts \(unread) unread, with those that it does not list")
    }
    if let seen = outcome.seen {
      parts.append("marked as seen up to \(seen), in every app; this also clears the badge on your phone")
    }
    return Message(
      .summary, .notificationsRead, parts.joined(separator: "; "),
      [
        "notifications": .integer(outcome.rows.count), "blocked": .integer(outcome.blocked),
        "muted": .integer(outcome.muted), "unknown": .integer(outcome.unknown),
        "unreadable": .integer(outcome.unreadable), "unread": .number(outcome.unread),
        "seen": .text(outcome.seen),
      ])
  }

  static let noSubscriptions = Message(
    .note, .noSubscriptions,
    "you are not told of the posts of any account; subscribe with kith notifications subscribe ACCOUNT")
}
