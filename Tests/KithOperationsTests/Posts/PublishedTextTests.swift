// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithPosts
import KithRelationships
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import KithWriting
@testable import SandboxSupport

/// The rule for texts of posts holds for whatever else is published, and each refusal names what is meant.
@Suite struct PublishedTextTests {
  private let alice: ServedUser

  init() async throws { alice = try await ServedUser(on: FaultyNetwork(accounts: 60)) }

  private func expectRefusal<Source: ChangeSource>(of source: Source, naming name: String) async throws {
    let run = try await alice.confirmed(source)
    #expect(run.rows.map(\.state) == [.refused] && run.outcome.ending.failure == .invalidInput)
    let reason = try #require(run.rows.first?.reason?.text)
    #expect(reason.contains(name) && reason.contains("U+00"), "\(reason)")
    #expect(alice.network.live.tally.commits == 0)
  }

  @Test(arguments: ProfileEdit.Text.allCases.filter { $0 != .website }, ["a\u{1B}[31m", "a\u{7}", "a\0"])
  func noProfileHasControlCharacters(text: ProfileEdit.Text, value: String) async throws {
    var edit = ProfileEdit()
    edit[text] = value
    try await expectRefusal(of: EditProfile(edit), naming: text.field)
  }

  @Test(arguments: [("a\u{7}", nil, "name"), ("Birds", "a\u{7}", "description")])
  func noListHasControlCharacters(name: String, description: String?, field: String) async throws {
    let draft = ListDraft(name: name, purpose: .curate, description: description)
    try await expectRefusal(of: CreateList(draft), naming: field)
  }

  @Test func noDescriptionOfAPictureHasControlCharacters() async throws {
    var post = PublishPosts("x")
    post.pictures = [.init(try .sample("photo.jpg"), alt: "a\u{7}", named: "sea.jpg")]
    let refused = try await alice.failure(ofChange: post)
    #expect(refused.code == "controlCharacter" && refused.kind == .invalidInput)
    #expect(ErrorFields(refused.error).fields["character"] == .string("U+0007"))
    #expect("\(refused.error)".contains("sea.jpg"))
    #expect(alice.network.live.tally.commits == 0)
  }
}
