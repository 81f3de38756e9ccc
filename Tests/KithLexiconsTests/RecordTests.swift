// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import Testing

@Suite struct RecordTests {
  private func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONCoding.encode(value), as: UTF8.self)
  }

  @Test func writesItsTypeAndNothingThatIsAbsent() throws {
    let follow = App.Bsky.Graph.Follow(
      subject: try DID(parsing: "did:web:bob.test"),
      createdAt: try Datetime(parsing: "2026-01-02T03:04:05.678Z"))
    #expect(
      try json(follow)
        == #"{"$type":"app.bsky.graph.follow","createdAt":"2026-01-02T03:04:05.678Z","subject":"did:web:bob.test"}"#
    )
    #expect(App.Bsky.Graph.Follow.nsid.description == "app.bsky.graph.follow")
  }

  /// Clients write `$type` where a lexicon needs none; it is kept there too.
  @Test func keepsUnknownFieldsAtEachDepth() throws {
    let text = """
      {"$type":"app.bsky.actor.profile","displayName":"Alice","labels":\
      {"$type":"com.atproto.label.defs#selfLabels","note":1,"values":[{"by":"me","val":"porn"}]},\
      "pinnedPost":{"$type":"com.atproto.repo.strongRef",\
      "cid":"bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwq","uri":"at://did:web:a.test"},\
      "theme":{"dark":true}}
      """
    var profile = try JSONCoding.decode(App.Bsky.Actor.Profile.self, from: Array(text.utf8))
    #expect(profile.unknownFields == ["theme": ["dark": true]])
    #expect(try json(profile) == text)
    profile.displayName = "Bob"
    #expect(try json(profile) == text.replacing("Alice", with: "Bob"))
  }

  /// What another app has written there hides nothing else, and is written again as it is.
  @Test(arguments: ["null", "7", #"["a"]"#, #"{"x":null}"#])
  func keepsOptionalFieldsOfAnotherShape(value: String) throws {
    let text = #"{"$type":"app.bsky.actor.profile","description":"Hello","displayName":\#(value)}"#
    var profile = try JSONCoding.decode(App.Bsky.Actor.Profile.self, from: Array(text.utf8))
    #expect(profile.displayName == nil && profile.description == "Hello")
    #expect(try json(profile) == text)
    profile.displayName = "Alice"
    #expect(try json(profile) == text.replacing(value, with: #""Alice""#))
  }

  /// What breaks the data model cannot be written again, but hides nothing else either.
  @Test(arguments: [
    "1.5", #"{"$link":"none"}"#, #"{"$type":"blob","ref":{"$link":"bad"},"mimeType":"a/b","size":1}"#,
  ])
  func readsWhatIsBesideUnreadableFields(value: String) throws {
    let text =
      #"{"$type":"app.bsky.actor.profile","avatar":\#(value),"description":"Hello","com.example.extra":\#(value)}"#
    let profile = try JSONCoding.decode(App.Bsky.Actor.Profile.self, from: Array(text.utf8))
    #expect(profile.avatar == nil && profile.description == "Hello" && profile.unknownFields.isEmpty)
  }

  @Test func refusesRequiredFieldsOfAnotherShape() {
    let text = #"{"$type":"app.bsky.graph.follow","createdAt":"2026-01-02T03:04:05Z","subject":null}"#
    #expect(throws: DecodingError.self) {
      try JSONCoding.decode(App.Bsky.Graph.Follow.self, from: Array(text.utf8))
    }
  }

  @Test func refusesARecordOfAnotherCollection() {
    let text =
      #"{"$type":"app.bsky.graph.block","createdAt":"2026-01-02T03:04:05Z","subject":"did:web:bob.test"}"#
    #expect(throws: DecodingError.self) {
      try JSONCoding.decode(App.Bsky.Graph.Follow.self, from: Array(text.utf8))
    }
  }

  @Test func checksWhatItHolds() throws {
    var profile = App.Bsky.Actor.Profile(displayName: String(repeating: "é", count: 64))
    try profile.validate()
    let label = Com.Atproto.Label.Defs.SelfLabel(val: String(repeating: "x", count: 129))
    profile.labels = .selfLabels(Com.Atproto.Label.Defs.SelfLabels(values: [label]))
    expectInvalid("labels.values[0].val") {
      try profile.validate()
    }
    profile.displayName = String(repeating: "é", count: 65)
    expectInvalid("displayName") {
      try profile.validate()
    }
  }
}
