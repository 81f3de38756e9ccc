// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithRelationships

extension Message {
  static func peopleFound(_ outcome: FindPeople.Outcome, by source: FindPeople.Source) -> Message {
    let leftOut = counted([
      (outcome.blocked, "with a block"), (outcome.muted, "muted"), (outcome.dismissed, "dismissed"),
      (outcome.optedOut, "that ask not to be recommended"),
      (outcome.unreachable, "whose servers could not be asked whether they want to be recommended"),
      (outcome.notShown, "not shown by the AppView"),
    ])
    var parts = [outcome.rows.count == 0 ? "none found" : counted(outcome.rows.count, "account")]
    if !leftOut.isEmpty { parts.append("left out: \(leftOut)") }
    if outcome.isHiddenByServer {
      parts.append("accounts with a block are left out by the server and not counted")
    }
    if let reach = outcome.reach, reach.follows == 0 {
      parts.append(
        "the account does not follow anyone yet; start with: kith people suggested, kith people search TEXT")
    } else if let reach = outcome.reach {
      parts.append(
        "from \(reach.looked) of \(reach.follows) accounts that are followed"
          + (reach.unknown > 0 ? " (\(reach.unknown) could not be read)" : ""))
    }
    if outcome.unchecked > 0 {
      parts.append("\(outcome.unchecked) not checked for whether they want to be recommended")
    }
    return Message(
      .summary, .peopleFound, parts.joined(separator: "; "),
      [
        "accounts": .integer(outcome.rows.count), "blocked": .integer(outcome.blocked),
        "muted": .integer(outcome.muted), "dismissed": .integer(outcome.dismissed),
        "optedOut": .integer(outcome.optedOut), "unreachable": .integer(outcome.unreachable),
        "notShown": .integer(outcome.notShown),
        "unchecked": .integer(outcome.unchecked), "isHiddenByServer": .bool(outcome.isHiddenByServer),
        "looked": .number(outcome.reach?.looked), "asked": .number(outcome.reach?.asked),
        "unreadable": .number(outcome.reach?.unknown), "follows": .number(outcome.reach?.follows),
      ])
  }

  static func contactsUnreadable(_ contacts: ContactReader.Contacts, in file: String) -> Message {
    Message(
      .warning, .contactsUnreadable,
      "\(file): no account on Mastodon or X in \(counted(contacts.unreadable, "line")), the first being line \(contacts.firstUnreadable ?? 1)",
      [
        "file": .string(file), "count": .integer(contacts.unreadable),
        "line": .number(contacts.firstUnreadable),
      ])
  }

  static func contactsMatched(_ outcome: MatchContacts.Outcome, of count: Int) -> Message {
    let parts = [
      "\(counted(count, "contact")): \(outcome.selected) selected",
      outcome.followed > 0 ? "\(outcome.followed) followed already" : nil,
      outcome.ambiguous > 0 ? "\(outcome.ambiguous) with several accounts that fit alike" : nil,
      "\(outcome.matched - outcome.selected - outcome.followed - outcome.ambiguous) with one signal only",
      outcome.unknown > 0 ? "\(outcome.unknown) could not be looked for" : nil,
      "\(count - outcome.matched - outcome.unknown) without a match",
    ]
    return Message(
      outcome.unknown > 0 ? .warning : .summary, .contactsMatched,
      parts.compactMap(\.self).joined(separator: ", "),
      [
        "contacts": .integer(count), "matched": .integer(outcome.matched),
        "selected": .integer(outcome.selected), "followed": .integer(outcome.followed),
        "ambiguous": .integer(outcome.ambiguous), "unknown": .integer(outcome.unknown),
      ])
  }

  static func peopleDismissed(_ outcome: DismissPeople.Outcome, areTakenBack: Bool) -> Message {
    let unchanged =
      outcome.unchanged == 0
      ? "" : "; \(outcome.unchanged) \(areTakenBack ? "were not dismissed" : "were dismissed before")"
    return Message(
      .note, .peopleDismissed,
      areTakenBack
        ? "\(counted(outcome.changed, "account")) may be suggested again\(unchanged)"
        : "\(counted(outcome.changed, "account")) will not be suggested again\(unchanged)",
      [
        "changed": .integer(outcome.changed), "unchanged": .integer(outcome.unchanged),
        "areTakenBack": .bool(areTakenBack),
      ])
  }

  static let noTerminal = Message(
    .error, .noTerminal, "there is no terminal to type on; search with a text instead of -i")

  static let noneDismissed = Message(.note, .noneDismissed, "no account is dismissed")
}
