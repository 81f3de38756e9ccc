// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithRelationships
import Testing

/// Files that name posts, in pieces of every size.
@Suite struct PostNamesTests {
  private actor Pieces: ByteSource {
    nonisolated let name = "posts"
    nonisolated let isSlow = false
    nonisolated let isTyped = false
    nonisolated let copy: (any ByteSource)? = nil
    private var remaining: ArraySlice<UInt8>
    private let size: Int

    init(_ text: String, size: Int) { (remaining, self.size) = (Array(text.utf8)[...], size) }

    func next() -> [UInt8] {
      defer { remaining = remaining.dropFirst(size) }
      return Array(remaining.prefix(size))
    }
  }

  private static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
  private static let one = "at://\(did)/app.bsky.feed.post/3jui7kd54zh2y"
  private static let two = "https://bsky.app/profile/alice.test/post/3jui7kd54zh2z"
  private static let like = "at://\(did)/app.bsky.feed.like/3jui7kd54zh2x"

  private func read(_ text: String, size: Int = 1 << 20) async throws -> [String] {
    try await PostNames.all(in: Pieces(text, size: size))
  }

  /// What rows of commands look like in each format; a feed can have a post twice.
  @Test(
    arguments: [
      "\(one)\n\n\(two)\r\n\(one)\n", "\u{FEFF}\n\(one)\n\(two)",
      #"{"at":null,"uri":"\#(one)","text":"a\nb"}\#n{"uri":"\#(two)"}\#n{"uri":"\#(one)"}"#,
      #"[{"uri":"\#(one)","quote":{"uri":"\#(two)"}},{"subject":"\#(two)","uri":"\#(like)"}]"#,
      #"["\#(one)","\#(two)"]"#,
      "at,uri,page,text\n2026,\(one),x,\"a, b\"\n2026,,\(two),\n", "URI;n\n\(one);1\n\(two);2\n",
    ], [1, 7, 1 << 20])
  func postsAreReadFromLinesAndRows(text: String, size: Int) async throws {
    #expect(try await read(text, size: size) == [Self.one, Self.two])
  }

  @Test func nothingIsNamedByAnEmptyFile() async throws {
    for text in ["", "\n \n", "[]", "uri,text\n"] { #expect(try await read(text) == [], "\(text)") }
  }

  /// What names no post is not passed over: something else was meant.
  @Test(
    arguments: [
      ("\(one)\nalice.test\n", "posts:2"), ("\(one)\n\(like)\n", "posts:2"),
      (#"{"uri":"\#(one)"}\#n{"did":"\#(did)"}"#, "posts:2"), ("uri\n\(one)\n\(did)\n", "posts:3"),
    ])
  func aLineWithoutAPostIsAnError(text: String, place: String) async throws {
    let error = await #expect(throws: InputError.self) { try await read(text) }
    #expect(error?.place == place)
  }

  @Test func aTableWithoutAColumnOfPostsIsAnError() async throws {
    let error = await #expect(throws: OperationError.self) { try await read("did,name\n\(Self.did),A\n") }
    #expect(error?.code == .noColumn)
  }
}
