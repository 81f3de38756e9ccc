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

  @Test func tooManyContactsAreRefused() async throws {
    let text = (0...ContactReader.mostContacts).map { "a\($0)\n" }.joined()
    let error = await #expect(throws: OperationError.self) { try await read(text) }
    #expect(error?.code == .tooManyContacts)
  }
}
