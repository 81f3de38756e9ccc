// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithRelationships
import Testing

/// Files of contacts, in pieces of every size.
@Suite struct ContactReaderTests {
  private actor Pieces: ByteSource {
    nonisolated let name = "contacts"
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

  private func read(_ text: String, size: Int = 1 << 20) async throws -> ContactReader.Contacts {
    try await ContactReader.contacts(in: Pieces(text, size: size))
  }

  @Test(arguments: [1, 3, 1_000])
  func anExportOfMastodonIsRead(_ size: Int) async throws {
    let contacts = try await read(
      "\u{FEFF}Account address,Show boosts,Notify on new posts,Languages\r\nbob@mastodon.social,true,false,\r\nbob@mastodon.social,true,false,\r\n@zoë@x.test,true,false,\r\n",
      size: size)
    #expect(contacts.all.map(\.text) == ["bob@mastodon.social"])
    #expect(contacts.unreadable == 1 && contacts.firstUnreadable == 4)
  }

  @Test func aTableOfNamesIsRead() async throws {
    let contacts = try await read("id;Screen_Name;Name\n1;@alice;\"Alice; A.\"\n2;;\n3;bob;\n")
    #expect(contacts.all.map(\.name) == ["alice", "bob"])
    #expect(contacts.all.map(\.displayName) == ["Alice; A.", nil])
  }

  @Test func oneAddressALineIsRead() async throws {
    let contacts = try await read("\n@alice@mastodon.social\nhttps://x.com/bob\n\n12345\n")
    #expect(contacts.all.map(\.name) == ["alice", "bob"])
    #expect(contacts.unreadable == 1 && contacts.firstUnreadable == 5)
    #expect(try await read("").all.isEmpty)
  }

  @Test(arguments: [1, 1_000])
  func theArchiveOfXIsRefused(_ size: Int) async throws {
    let error = await #expect(throws: OperationError.self) {
      try await read(
        "window.YTD.following.part0 = [\n {\"following\":{\"accountId\":\"1\"}}\n]\n", size: size)
    }
    #expect(error?.code == .archiveOfX)
  }

  /// What people have instead of a table, as apps write it.
  @Test(
    arguments: [
      (#"{"relationships_following":[{"title":"bob"}]}"#, .contactsAreJSON),
      (
        #"[{"following":{"accountId":"123","userLink":"https://x.com/intent/user?user_id=123"}}]"#,
        .archiveOfX
      ),
      ("Date: 2026-01-01 10:00:00 UTC\nUser name: bob smith\n\n", .noContacts),
      ("who,when\nbob,1\n", .noAccountColumn),
    ] as [(String, OperationError.Code)], [1, 1_000])
  func whatHasNoContactsIsRefusedWithTheReason(
    file: (text: String, code: OperationError.Code), size: Int
  ) async {
    let error = await #expect(throws: OperationError.self) { try await read(file.text, size: size) }
    #expect(error?.code == file.code)
  }

  @Test func aColumnOfAddressesIsKnownOrNamed() async throws {
    let urls =
      "Profile URL,Full Name\nhttps://twitter.com/bob,Bob\nhttps://twitter.com/intent/user?user_id=1,X\n"
    let contacts = try await read(urls)
    #expect(contacts.all.map(\.name) == ["bob"] && contacts.all.map(\.displayName) == ["Bob"])
    #expect(contacts.unreadable == 1 && contacts.firstUnreadable == 3)
    for column in ["who", "2"] {
      let named = try await ContactReader.contacts(
        in: Pieces("when,who\n1,bob\n", size: 1_000), column: column)
      #expect(named.all.map(\.name) == ["bob"])
    }
    #expect(try await read("instagram_username\nbob\n").all.map(\.name) == ["bob"])
  }

  @Test func tooManyContactsAreRefused() async throws {
    let text = (0...ContactReader.mostContacts).map { "a\($0)\n" }.joined()
    let error = await #expect(throws: OperationError.self) { try await read(text) }
    #expect(error?.code == .tooManyContacts)
  }
}
