// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons

/// Answers as an AppView gives them: made of generated types, so that they have the fields of the lexicons.
enum Documents {
  /// What a batch of 30 targets is answered: follows of all sorts, a few blocks, an account that is not found.
  static func relationships() throws -> [UInt8] {
    typealias Output = App.Bsky.Graph.GetRelationships.Output
    let rows = try (1...30).map { index -> Output.RelationshipsElement in
      if index % 15 == 0 { return .notFoundActor(.init(actor: .handle(try handle(index)))) }
      return .relationship(
        .init(
          did: try did(index),
          following: index % 3 > 0 ? try record("follow", of: 0, index) : nil,
          followedBy: index % 2 > 0 ? try record("follow", of: index, 0) : nil,
          blocking: index % 10 == 0 ? try record("block", of: 0, index) : nil))
    }
    return try JSONCoding.encode(Output(actor: did(0), relationships: rows))
  }

  /// A page of 100 followers.
  static func followers() throws -> [UInt8] {
    try JSONCoding.encode(
      App.Bsky.Graph.GetFollowers.Output(
        subject: profile(0), cursor: "3l6ov6hj4dk2z", followers: (1...100).map(profile)))
  }

  private static func profile(_ index: Int) throws -> App.Bsky.Actor.Defs.ProfileView {
    let did = try did(index)
    let avatar =
      "https://cdn.bsky.app/img/avatar/plain/\(did)/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku@jpeg"
    return App.Bsky.Actor.Defs.ProfileView(
      did: did, handle: try handle(index),
      displayName: index % 4 == 0 ? "Zoë 🦋 of the \"North\"" : "Account number \(index)",
      description: index % 3 == 0
        ? nil : "She/her. I write about trains 🚆, bread and the sea.\nOpinions are mine; DMs are open.",
      avatar: index % 10 == 0 ? nil : try URI(parsing: avatar),
      associated: index % 5 == 0 ? .init(chat: .init(allowIncoming: .following)) : nil,
      indexedAt: try Datetime(parsing: "2025-02-11T07:5\(index % 10):12.345Z"),
      createdAt: try Datetime(parsing: "2023-07-03T1\(index % 10):24:56.789Z"),
      viewer: .init(
        muted: false, blockedBy: false, following: index % 2 == 0 ? try record("follow", of: 0, index) : nil,
        followedBy: try record("follow", of: index, 0)),
      labels: index % 8 == 0 ? [try label(index)] : [])
  }

  private static func label(_ index: Int) throws -> Com.Atproto.Label.Defs.Label {
    let did = try did(index)
    return Com.Atproto.Label.Defs.Label(
      src: did, uri: try URI(parsing: "at://\(did)/app.bsky.actor.profile/self"), val: "!no-unauthenticated",
      cts: try Datetime(parsing: "1970-01-01T00:00:00.000Z"))
  }

  private static func did(_ index: Int) throws -> DID {
    // Digits that differ at both ends, as real ones do.
    let digits = Array("234567abcdefghijklmnopqrstuvwxyz")
    var state = UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
    let text = (0..<24).map { _ -> Character in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return digits[Int(state >> 59)]
    }
    return try DID(parsing: "did:plc:" + String(text))
  }

  private static func handle(_ index: Int) throws -> Handle {
    try Handle(parsing: index % 3 == 0 ? "writer-\(index).example.com" : "account\(index).bsky.social")
  }

  private static func record(_ kind: String, of owner: Int, _ index: Int) throws -> ATURI {
    let key = TID(
      at: Instant(microsecondsSinceEpoch: 1_700_000_000_000_000 + Int64(index) * 86_400_123_457), clockID: 17)
    return try ATURI(parsing: "at://\(did(owner))/app.bsky.graph.\(kind)/\(key)")
  }
}
