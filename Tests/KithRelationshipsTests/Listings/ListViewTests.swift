// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Lists and starter packs as AppViews and repositories show them.
@Suite struct ListViewTests {
  private let owner = Accounts.did(0)

  private func client(_ transport: ScriptedTransport) throws -> XRPCClient {
    XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
  }

  private func list(_ key: String) throws -> ATURI {
    try ATURI(parsing: "at://\(owner)/app.bsky.graph.list/\(key)")
  }

  private func view(_ key: String, _ more: String = "") throws -> String {
    #"""
    {"uri":"\#(try list(key))","cid":"x","creator":{"did":"\#(owner)","handle":"user0.test","more":{}},
     "name":"\#(key)","purpose":"app.bsky.graph.defs#modlist"\#(more)}
    """#
  }

  @Test func listsAreReadPageByPage() async throws {
    let viewer =
      #","listItemCount":3,"viewer":{"muted":true,"blocked":"at://\#(owner)/app.bsky.graph.listblock/3x"}"#
    let transport = ScriptedTransport(responses: [
      TransportResponse(#"{"lists":[\#(try view("3a", viewer))],"cursor":"1"}"#),
      TransportResponse(#"{"lists":[],"cursor":"2"}"#),
      TransportResponse(#"{"lists":[\#(try view("3b"))]}"#),
    ])
    var lists: [ListSummary] = []
    for try await list in Listings(try client(transport)).lists(of: .did(owner)) { lists.append(list) }
    #expect(lists.map(\.name) == ["3a", "3b"])
    #expect(lists.map(\.members) == [3, nil])
    #expect(lists.map(\.isMuted) == [true, nil])
    #expect(lists[0].block?.recordKey?.description == "3x")
    #expect(lists[1].purpose == .moderate)
    #expect(lists[1].ownerHandle == Accounts.handle(0))
  }

  @Test func membersIncludeHandlesAndRecords() async throws {
    let item = "at://\(owner)/app.bsky.graph.listitem/3i"
    let transport = ScriptedTransport(responses: [
      TransportResponse(
        #"""
        {"list":{},"items":[{"uri":"\#(item)","subject":{"did":"\#(Accounts.did(1))","handle":"user1.test"}}]}
        """#)
    ])
    var members: [AccountView] = []
    for try await member in Listings(try client(transport)).members(of: try list("3a")) {
      members.append(member)
    }
    #expect(
      members == [
        AccountView(Accounts.did(1), handle: Accounts.handle(1), record: try ATURI(parsing: item))
          .with(AccountMarks())
      ])
  }

  @Test func membersThatTheAppViewDoesNotShowAreCounted() async throws {
    func item(_ number: Int) -> String {
      #"{"uri":"at://\#(owner)/app.bsky.graph.listitem/\#(number)","subject":{"did":"\#(Accounts.did(number))","handle":"user\#(number).test"}}"#
    }
    let transport = ScriptedTransport(responses: [
      TransportResponse(#"{"list":{"listItemCount":8},"items":[\#(item(1)),\#(item(2))],"cursor":"1"}"#),
      TransportResponse(#"{"list":{"listItemCount":8},"items":[\#(item(3)),null]}"#),
    ])
    var members = Listings(try client(transport)).members(of: try list("3a")).makeAsyncIterator()
    var found: [DID] = []
    while let member = try await members.next() { found.append(member.account) }
    #expect(found == (1...3).map(Accounts.did))
    #expect(members.coverage.counted == 8 && members.coverage.missing == 5)
    // One bad element costs one member, and is reported after the others.
    #expect(members.coverage.unreadable == 1)
    #expect((members.coverage.fault as? RelationshipError)?.code == .invalidResponse)
  }

  @Test func aMissingListHasItsOwnError() async throws {
    func fault(_ message: String, _ read: (XRPCClient) async throws -> Void) async throws -> RelationshipError
    {
      let transport = ScriptedTransport(responses: [.xrpcError(400, "InvalidRequest", message)])
      let client = try client(transport)
      return try #require(await #expect(throws: RelationshipError.self) { try await read(client) })
    }
    let list = try list("3a")
    let members = try await fault("List not found") { client in
      for try await _ in Listings(client).members(of: list) {}
    }
    #expect(members == .listNotFound(list))
    #expect(members.code == .listNotFound)
    let listing = try await fault("List not found") { client in
      for try await _ in Listings(client).accounts(.members(of: list)) {}
    }
    #expect(listing == members)
    let lists = try await fault("Profile not found") { [owner] client in
      for try await _ in Listings(client).lists(of: .did(owner)) {}
    }
    #expect(lists.code == .actorNotFound)
  }

  @Test func ownMembersIncludeDuplicatesAndMalformedRecords() async throws {
    let pds = PDSDouble(account: owner)
    let list = try list("3a")
    func put(_ key: String, _ subject: DataValue, on list: ATURI) {
      pds.change {
        $0.records["app.bsky.graph.listitem/\(key)"] = [
          "$type": "app.bsky.graph.listitem", "list": .string("\(list)"), "subject": subject,
          "createdAt": "2025-01-01T00:00:00.000Z",
        ]
      }
    }
    let member = DataValue.string("\(Accounts.did(1))")
    put("3a", member, on: list)
    put("3b", member, on: list)
    put("3c", member, on: try self.list("3other"))
    put("3d", "nobody", on: list)
    var found: [String?] = []
    for try await row in RecordReader(of: owner, client: try pds.client()).members(of: list) {
      switch row {
      case .success(let member):
        #expect(member.account == Accounts.did(1))
        #expect(member.since?.description == "2025-01-01T00:00:00.000Z")
        found.append(member.record?.recordKey?.description)
      case .failure(let record): found.append("broken \(record.rkey?.description ?? "")")
      }
    }
    #expect(Set(found) == ["3a", "3b", "broken 3d"])
  }

  @Test func starterPacksAreReadFromTheirRepository() async throws {
    let pds = PDSDouble(account: owner)
    let list = try list("3a")
    pds.change {
      $0.records["app.bsky.graph.starterpack/3p"] = [
        "$type": "app.bsky.graph.starterpack", "name": "Birds", "list": .string("\(list)"),
        "createdAt": "2025-01-01T00:00:00.000Z",
      ]
      $0.records["app.bsky.graph.starterpack/3q"] = ["$type": "app.bsky.graph.starterpack", "name": "Broken"]
    }
    let client = try pds.client()
    let pack = try await StarterPack.read(RecordKey(parsing: "3p"), of: owner, client: client)
    #expect(pack?.name == "Birds")
    #expect(pack?.list == list)
    #expect(try await StarterPack.read(RecordKey(parsing: "3x"), of: owner, client: client) == nil)
    let broken = await #expect(throws: RepositoryError.self) {
      try await StarterPack.read(RecordKey(parsing: "3q"), of: owner, client: client)
    }
    #expect(broken?.code == .invalidResponse)
    var (sound, malformed) = (0, 0)
    for try await row in RecordReader(of: owner, client: client).starterPacks() {
      if case .success = row { sound += 1 } else { malformed += 1 }
    }
    #expect((sound, malformed) == (1, 1))
  }

  /// Packs are used for their list; their other members are shown if they can be.
  @Test(
    arguments: [
      ["feeds": .null], ["feeds": [7]], ["name": 7], ["createdAt": ""], ["descriptionFacets": .null],
      ["description": ["x"]], ["future": [.null]],
    ] as [DataObject])
  func aStarterPackNeedsOnlyItsList(odd: DataObject) async throws {
    let pds = PDSDouble(account: owner)
    let list = try list("3a")
    let sound: DataObject = [
      "$type": "app.bsky.graph.starterpack", "name": "Birds", "list": .string("\(list)"),
      "description": "Songs", "createdAt": "2025-01-01T00:00:00.000Z",
    ]
    pds.change { $0.records["app.bsky.graph.starterpack/3p"] = .object(sound.merging(odd) { $1 }) }
    let client = try pds.client()
    let key = try RecordKey(parsing: "3p")
    let pack = try #require(try await StarterPack.read(key, of: owner, client: client))
    #expect(pack.list == list && pack.ownsList)
    #expect(pack.name == (odd["name"] == nil ? "Birds" : nil))
    #expect(pack.description == (odd["description"] == nil ? "Songs" : nil))
    #expect((pack.createdAt == nil) == (odd["createdAt"] != nil))
    var packs: [StarterPack] = []
    for try await row in RecordReader(of: owner, client: client).starterPacks() {
      packs.append(try row.get())
    }
    #expect(packs == [pack])
  }
}
