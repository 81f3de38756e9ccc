// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithRelationships
import KithWording

extension Message {
  static func peopleFound(_ outcome: PeopleFound) -> Message {
    Message(
      .summary, .peopleFound, outcome.sentence(in: .command),
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

  static func contactsMatched(_ outcome: ContactsMatched) -> Message {
    Message(
      outcome.unknown > 0 ? .warning : .summary, .contactsMatched, outcome.sentence(in: .command),
      [
        "contacts": .integer(outcome.contacts), "matched": .integer(outcome.matched),
        "selected": .integer(outcome.selected), "followed": .integer(outcome.followed),
        "ambiguous": .integer(outcome.ambiguous), "unknown": .integer(outcome.unknown),
      ])
  }

  static func peopleDismissed(_ outcome: DismissPeople.Outcome) -> Message {
    Message(level: .note, code: Code.peopleDismissed.rawValue, text: outcome.sentence, fields: outcome.fields)
  }

  static let noTerminal = Message(
    .error, .noTerminal, "there is no terminal to type on; search with a text instead of -i")

  static let noneDismissed = Message(.note, .noneDismissed, "no account is dismissed")
}
