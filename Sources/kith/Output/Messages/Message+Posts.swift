// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithPosts
import KithWording

extension Message {
  /// - Parameter selection: which feed was asked for; nil if its next step need not be said.
  static func feedRead(_ outcome: ReadFeed.Outcome, of selection: ReadFeed.Selection? = nil) -> Message {
    let coverage = outcome.coverage
    return Message(
      .summary, .feedRead, Wording.command.read(outcome, of: selection),
      [
        "posts": .integer(outcome.rows.count), "source": .string(outcome.source.rawValue),
        "accounts": .number(outcome.accounts?.read), "allAccounts": .number(outcome.accounts?.all),
        "blocked": .integer(coverage.leftOut.blocked), "muted": .integer(coverage.leftOut.muted),
        "unknown": .integer(coverage.leftOut.unknown), "unreadable": .integer(coverage.unreadable),
        "accountsBlocked": .integer((outcome.accounts?.blocked ?? 0) + coverage.accountsBlocked),
        "accountsMuted": .integer(outcome.accounts?.muted ?? 0),
        "accountsNotShown": .integer((outcome.accounts?.notShown ?? 0) + coverage.accountsGone),
        "accountsUnread": .integer(coverage.accountsUnread),
        "isHiddenByServer": .bool(outcome.isHiddenByServer), "since": .text(outcome.since),
        "endedBySince": .bool(outcome.endedBySince), "cursor": .text(outcome.cursor?.description),
      ])
  }

  static func threadRead(_ outcome: ReadThread.Outcome) -> Message {
    let counts = outcome.leftOut
    return Message(
      .summary, .threadRead, outcome.sentence,
      [
        "posts": .integer(outcome.rows.count), "blocked": .integer(counts.blocked),
        "muted": .integer(counts.muted), "unknown": .integer(counts.unknown),
      ])
  }

  static func notificationsRead(_ outcome: ReadNotifications.Outcome) -> Message {
    let counts = outcome.leftOut
    let fault = outcome.postsFault.map { Message($0) }
    return Message(
      fault == nil ? .summary : .warning, .notificationsRead, outcome.sentence(in: .command),
      [
        "notifications": .integer(outcome.count), "blocked": .integer(counts.blocked),
        "muted": .integer(counts.muted), "unknown": .integer(counts.unknown),
        "unreadable": .integer(outcome.unreadable), "since": .text(outcome.since),
        "kinds": .array(outcome.kinds.map { .string($0.rawValue) }), "unread": .number(outcome.unread),
        "seen": .text(outcome.seen), "unseen": .number(outcome.unseen), "cause": fault?.cause ?? .null,
      ])
  }

  static let listIsPublic = Message(preparing: .listIsPublic)

  static let noSubscriptions = Message(
    .note, .noSubscriptions,
    "you are not told of the posts of any account; subscribe with kith notifications subscribe ACCOUNT")
}

extension Message {
  /// What would be published, a message for each post, and what is to be known about it.
  static func previews(of outcome: PostComposition) -> [Message] {
    let count = outcome.drafts.count
    var messages = outcome.drafts.enumerated().map { place, draft in
      preview(
        of: draft, count > 1 ? "post \(place + 1) of \(count)" : "post",
        place == 0 ? outcome.cardPicture : nil, place == 0 ? ["who may answer: \(outcome.audience)"] : [])
    }
    messages += outcome.unknownHandles.map { handle in
      Message(
        .warning, .mentionUnknown, "@\(handle) is not an account; it stays plain text",
        ["handle": .text(handle), "isKnown": .bool(true)])
    }
    messages += outcome.unresolvedHandles.map { handle in
      Message(
        .warning, .mentionUnknown, "could not look up @\(handle); it stays plain text",
        ["handle": .text(handle), "isKnown": .bool(false)])
    }
    if let fault = outcome.cardFault, let link = outcome.drafts.first?.text.firstLink {
      let cause = Message(any: fault)
      messages.append(
        Message(
          .note, .noCard, "no card for \(link): \(cause.text)", ["link": .text(link), "cause": cause.cause]))
    }
    if let fault = outcome.audienceFault {
      let cause = Message(any: fault)
      messages.append(
        Message(
          .warning, .quotesNotLearned,
          "could not read whether you let others quote your posts; everyone may quote this one: \(cause.text)",
          ["cause": cause.cause]))
    }
    return messages
  }

  /// - Parameter picture: that of its card.
  private static func preview(
    of draft: PostDraft, _ head: String, _ picture: Picture?, _ remarks: [String]
  ) -> Message {
    let bytes = Array(draft.text.text.utf8)
    var (mentions, links, tags): ([String], [String], [String]) = ([], [], [])
    for facet in draft.text.facets {
      switch facet.feature {
      case .mention: mentions.append(String(decoding: bytes[facet.bytes], as: UTF8.self))
      case .link(let link): links.append("\(link)")
      case .tag(let tag): tags.append(tag)
      }
    }
    let parts = [("mentions", mentions), ("links", links), ("tags", tags)].filter { !$0.1.isEmpty }
      .map { "\($0.0): \($0.1.joined(separator: ", "))" }
    let text = draft.text.text
    let card =
      draft.card.map { card in
        ["card: \(card.title)\(picture.map { ", with a picture of \($0.bytes.count) bytes" } ?? "")"]
      } ?? []
    return Message(
      .note, .postPreview,
      (["\(head), \(text.count) of \(RichText.mostGraphemes) characters: \(text.inOneLine)"] + parts + card
        + remarks)
        .joined(separator: "; "),
      [
        "text": .string(text), "characters": .integer(text.count),
        "mentions": .array(mentions.map { .string($0) }), "links": .array(links.map { .string($0) }),
        "tags": .array(tags.map { .string($0) }), "card": .text(draft.card?.title),
        "cardPicture": .number(picture?.bytes.count),
      ])
  }
}

extension ReadFeed.Selection {
  /// What to do about a feed of accounts of which there are none yet.
  var beginning: String? {
    switch self {
    case .friends: "you have no friends by consent yet; ask with: kith friends request ACCOUNT"
    case .mutuals: "you have no mutuals yet; kith not-followed-back lists followers to follow back"
    case .segment(let name): "no follower is in the segment \(name); kith segments shows what it asks for"
    case .following, .list, .author: nil
    }
  }
}
