// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

// An intent as a journal keeps it: one object, in which `do` names the intent.

/// What is wrong with a stored intent.
package struct StoredIntentFault: Error, CustomStringConvertible {
  package let description: String
}

extension ChangeIntent {
  /// The intent as data: `{"do": "make", "collection": "app.bsky.graph.follow", "account": DID}`.
  package var stored: DataValue {
    var fields: DataObject
    switch self {
    case .edge(let edge, let wanted): fields = .to(wanted.rawValue, edge)
    case .call(.mute(let account, let scope)):
      fields = .to("mute", account)
      fields["scope"] = .string(scope.rawValue)
    case .call(.unmute(let account)): fields = .to("unmute", account)
    case .call(.muteList(let list)): fields = .to("muteList", list: list)
    case .call(.unmuteList(let list)): fields = .to("unmuteList", list: list)
    case .list(let change): fields = change.stored
    case .friends(let change): fields = change.stored
    case .posts(let change): fields = change.stored
    case .records(let change): fields = change.stored
    case .profile(let edit): fields = edit.stored
    }
    return .object(fields)
  }

  /// Reads an intent. Fields that this version does not know are ignored.
  ///
  /// - Throws: ``StoredIntentFault`` or `SyntaxError` for anything else that this version does not know.
  package init(stored value: DataValue) throws {
    switch try value.text("do") {
    case "mute": self = .mute(try value.account(), try value.word("scope"))
    case "unmute": self = .unmute(try value.account())
    case "muteList": self = .muteList(try value.uri("list"))
    case "unmuteList": self = .unmuteList(try value.uri("list"))
    case "editProfile": self = .profile(try ProfileEdit(stored: value))
    case let word:
      if let wanted = EdgeChange(rawValue: word) {
        self = .edge(try value.edge(), wanted)
      } else if let change = try ListChange(word, stored: value) {
        self = .list(change)
      } else if let change = try FriendChange(word, stored: value) {
        self = .friends(change)
      } else if let change = try PostChange(word, stored: value) {
        self = .posts(change)
      } else if let change = try RecordChange(word, stored: value) {
        self = .records(change)
      } else {
        throw StoredIntentFault(description: "the change \"\(word)\" is unknown")
      }
    }
  }
}

// MARK: - Lists

extension ListChange {
  fileprivate var stored: DataObject {
    var fields: DataObject
    switch self {
    case .create(let list, let draft):
      fields = .to("createList", list: list)
      fields["name"] = .string(draft.name)
      fields["purpose"] = .string(draft.purpose.name)
      fields["description"] = draft.description.map { .string($0) }
      if draft.isCopy { fields["isCopy"] = true }
    case .edit(let list, let edit):
      fields = .to("editList", list: list)
      fields["name"] = edit.name.map { .string($0) }
      fields["description"] = edit.description.map { .string($0) }
    case .delete(let list): fields = .to("deleteList", list: list)
    case .clear(let list): fields = .to("clearList", list: list)
    }
    return fields
  }

  fileprivate init?(_ word: String, stored value: DataValue) throws {
    switch word {
    case "createList":
      let (name, description) = (try value.text("name"), try value.optionalText("description"))
      let purpose = ListPurpose(stored: try value.text("purpose"))
      self = .create(
        try value.uri("list"),
        try value.flag("isCopy")
          ? ListDraft(copying: name, purpose: purpose, description: description)
          : ListDraft(name: name, purpose: purpose, description: description))
    case "editList":
      self = .edit(
        try value.uri("list"),
        ListEdit(name: try value.optionalText("name"), description: try value.optionalText("description")))
    case "deleteList": self = .delete(try value.uri("list"))
    case "clearList": self = .clear(try value.uri("list"))
    default: return nil
    }
  }
}

extension ListPurpose {
  fileprivate init(stored name: String) {
    let known: [ListPurpose] = [.curate, .moderate, .refer]
    self = known.first { $0.name == name } ?? .other(name)
  }
}

// MARK: - Friends

extension FriendChange {
  fileprivate var stored: DataObject {
    var fields: DataObject
    switch self {
    case .request(let account, let draft):
      fields = .to("requestFriend", account)
      fields["kind"] = .string(draft.kind.rawValue)
      fields["expiresAt"] = draft.expiresAt.map { .string($0.description) }
    case .cancel(let account): fields = .to("cancelRequest", account)
    case .accept(let account, let standing):
      fields = .to("acceptRequest", account)
      fields["request"] = standing.stored
    case .decline(let account, let standing):
      fields = .to("declineRequest", account)
      fields["request"] = standing.stored
    case .remove(let account): fields = .to("endFriendship", account)
    case .takeBack(let account, let requests):
      fields = .to("removeAcceptances", account)
      fields["requests"] = .array(requests.map(\.value).sorted { "\($0)" < "\($1)" })
    case .policy(let account, let policy):
      fields = .to("setFriendPolicy", account)
      fields["policy"] = policy.map { policy in
        var fields: DataObject = [
          "whoMayAsk": .string(policy.whoMayAsk.word), "requiresApproval": .bool(policy.requiresApproval),
        ]
        fields["requestSeconds"] = policy.requestLifetime.map { .integer($0.components.seconds) }
        return .object(fields)
      }
    }
    return fields
  }

  fileprivate init?(_ word: String, stored value: DataValue) throws {
    switch word {
    case "requestFriend":
      let draft = FriendRequestDraft(try value.word("kind"), expiresAt: try value.optionalTime("expiresAt"))
      self = .request(try value.account(), draft)
    case "cancelRequest": self = .cancel(try value.account())
    case "acceptRequest":
      self = .accept(try value.account(), try Friendship.RequestState(stored: try value.part("request")))
    case "declineRequest":
      self = .decline(try value.account(), try Friendship.RequestState(stored: try value.part("request")))
    case "endFriendship": self = .remove(try value.account())
    case "removeAcceptances":
      self = .takeBack(try value.account(), Set(try value.list("requests").map(RecordVersion.init(stored:))))
    case "setFriendPolicy":
      let policy = try value["policy"].map { stored in
        FriendPolicy(
          whoMayAsk: FriendPolicy.Audience(word: try stored.text("whoMayAsk")),
          requiresApproval: try stored.flag("requiresApproval"),
          requestLifetime: try stored.optionalNumber("requestSeconds").map { .seconds($0) })
      }
      self = .policy(try value.account(), policy)
    default: return nil
    }
  }
}

extension Friendship.RequestState {
  /// A request that was accepted is kept as one that is open: no plan makes a difference.
  fileprivate var stored: DataValue {
    let (state, request): (String, FriendRequest?) =
      switch self {
      case .none: ("none", nil)
      case .open(let request), .accepted(let request, _): ("open", request)
      case .expired(let request): ("expired", request)
      case .unknown: ("unknown", nil)
      }
    var fields: DataObject = ["state": .string(state)]
    if let request {
      fields["version"] = request.version.value
      fields["from"] = .string(request.requester.description)
      fields["to"] = .string(request.subject.description)
      fields["kind"] = .string(request.kind.rawValue)
      fields["createdAt"] = .string(request.createdAt.description)
      fields["expiresAt"] = request.expiresAt.map { .string($0.description) }
    }
    return .object(fields)
  }

  fileprivate init(stored value: DataValue) throws {
    func request() throws -> FriendRequest {
      FriendRequest(
        try RecordVersion(stored: try value.part("version")), from: try value.account("from"),
        to: try value.account("to"), kind: try value.word("kind"), createdAt: try value.time("createdAt"),
        expiresAt: try value.optionalTime("expiresAt"))
    }
    switch try value.text("state") {
    case "none": self = .none
    case "open": self = .open(try request())
    case "expired": self = .expired(try request())
    case "unknown": self = .unknown
    case let word: throw StoredIntentFault(description: "the state \"\(word)\" is unknown")
    }
  }
}

// MARK: - Posts and profiles

extension PostChange {
  fileprivate var stored: DataObject {
    switch self {
    case .delete(let post): ["do": "deletePost", "post": .string(post.description)]
    case .react(let reaction, let post, let former):
      [
        "do": "react", "reaction": .string(reaction.rawValue), "post": post.value, "record": former.stored,
      ]
    case .takeBack(let reaction, let post, let former):
      [
        "do": "removeReaction", "reaction": .string(reaction.rawValue), "post": .string(post.description),
        "record": former.stored,
      ]
    }
  }

  fileprivate init?(_ word: String, stored value: DataValue) throws {
    switch word {
    case "deletePost": self = .delete(try value.uri("post"))
    case "react":
      self = .react(
        try value.word("reaction"), to: try RecordVersion(stored: try value.part("post")),
        former: try ReactionRecord(stored: try value.part("record")))
    case "removeReaction":
      self = .takeBack(
        try value.word("reaction"), from: try value.uri("post"),
        former: try ReactionRecord(stored: try value.part("record")))
    default: return nil
    }
  }
}

extension ReactionRecord {
  fileprivate var stored: DataValue {
    switch self {
    case .record(let record): ["uri": .string(record.description)]
    case .none: [:]
    case .unknown: ["isUnknown": true]
    }
  }

  fileprivate init(stored value: DataValue) throws {
    guard value.object != nil else { throw StoredIntentFault(description: "the record is not an object") }
    if try value.flag("isUnknown") {
      self = .unknown
    } else {
      self = value["uri"] == nil ? .none : .record(try value.uri("uri"))
    }
  }
}

extension ProfileEdit {
  fileprivate var stored: DataObject {
    var fields: DataObject = ["do": "editProfile"]
    for text in Text.allCases { fields[text.rawValue] = self[text].map { .string($0) } }
    fields["avatar"] = avatar?.stored
    fields["banner"] = banner?.stored
    return fields
  }

  fileprivate init(stored value: DataValue) throws {
    self.init()
    for text in Text.allCases { self[text] = try value.optionalText(text.rawValue) }
    avatar = try value["avatar"].map(Blob.init(stored:))
    banner = try value["banner"].map(Blob.init(stored:))
  }
}

// MARK: - Records

extension RecordChange {
  fileprivate var stored: DataObject {
    switch self {
    case .make(let drafts): ["do": "makeRecords", "records": .array(drafts.map(\.stored))]
    case .put(let record, let fields):
      ["do": "setRecord", "record": .string(record.description), "value": .object(fields)]
    case .delete(let record): ["do": "deleteRecord", "record": .string(record.description)]
    }
  }

  fileprivate init?(_ word: String, stored value: DataValue) throws {
    switch word {
    case "makeRecords": self = .make(try value.list("records").map(RecordDraft.init(stored:)))
    case "setRecord": self = .put(try value.uri("record"), try value.object("value"))
    case "deleteRecord": self = .delete(try value.uri("record"))
    default: return nil
    }
  }
}

extension RecordDraft {
  fileprivate var stored: DataValue {
    var stored: DataObject = ["collection": .string(collection.description), "value": .object(fields)]
    stored["sharedKey"] = sharedKey.map { .integer(Int64($0)) }
    if !references.isEmpty { stored["references"] = .array(references.map(\.stored)) }
    return .object(stored)
  }

  fileprivate init(stored value: DataValue) throws {
    self.init(
      try NSID(parsing: try value.text("collection")), try value.object("value"),
      sharingKeyOf: try value["sharedKey"].map { _ in try value.place("sharedKey") },
      references: try value.optionalList("references").map(Reference.init(stored:)))
  }
}

extension RecordDraft.Reference {
  fileprivate var stored: DataValue {
    ["path": .array(path.map { .string($0) }), "record": .integer(Int64(draft)), "isStrong": .bool(isStrong)]
  }

  fileprivate init(stored value: DataValue) throws {
    self.init(
      path: try value.list("path").map { try $0.text() }, to: try value.place("record"),
      isStrong: try value.flag("isStrong"))
  }
}

// MARK: - Parts

extension DataObject {
  fileprivate static func to(_ word: String, _ account: DID) -> DataObject {
    ["do": .string(word), "account": .string(account.description)]
  }

  fileprivate static func to(_ word: String, list: ATURI) -> DataObject {
    ["do": .string(word), "list": .string(list.description)]
  }

  fileprivate static func to(_ word: String, _ edge: RecordEdge) -> DataObject {
    var fields: DataObject = ["do": .string(word), "collection": .string(edge.collection.description)]
    fields["account"] = edge.account.map { .string($0.description) }
    fields["list"] = edge.list.map { .string($0.description) }
    fields["post"] = edge.post.map { .string($0.description) }
    if !edge.kind.isUnique { fields["isRepeatable"] = true }
    return fields
  }
}

extension RecordVersion {
  /// Reads a version.
  package init(stored value: DataValue) throws {
    self.init(uri: try value.uri("uri"), cid: try CID(parsing: try value.text("cid")))
  }
}

extension Blob {
  fileprivate var stored: DataValue {
    var fields: DataObject = ["cid": .string(ref.description), "type": .string(mimeType)]
    fields["size"] = size.map { .integer(Int64($0)) }
    return .object(fields)
  }

  fileprivate init(stored value: DataValue) throws {
    self.init(
      ref: try CID(parsing: try value.text("cid")), mimeType: try value.text("type"),
      size: try value.optionalNumber("size").flatMap { Int(exactly: $0) })
  }
}

extension ChangeRefusal {
  /// The refusal as data.
  package var stored: DataValue {
    var fields: DataObject = ["code": .string(code.rawValue), "text": .string(description)]
    fields["job"] = jobNumber.map { .integer($0) }
    return .object(fields)
  }

  /// Reads a refusal.
  package init(stored value: DataValue) throws {
    self.init(
      Code(rawValue: try value.text("code")), try value.text("text"),
      jobNumber: try value.optionalNumber("job"))
  }
}

extension DataValue {
  fileprivate func part(_ name: String) throws -> DataValue {
    guard let value = self[name] else { throw StoredIntentFault(description: "\(name) is missing") }
    return value
  }

  func text() throws -> String {
    guard let string else { throw StoredIntentFault(description: "a text is missing") }
    return string
  }

  fileprivate func text(_ name: String) throws -> String {
    guard let text = self[name]?.string else {
      throw StoredIntentFault(description: "\(name) is missing, or not a text")
    }
    return text
  }

  fileprivate func optionalText(_ name: String) throws -> String? { try self[name].map { try $0.text() } }

  func flag(_ name: String) throws -> Bool {
    guard let value = self[name] else { return false }
    guard let flag = value.bool else { throw StoredIntentFault(description: "\(name) is not true or false") }
    return flag
  }

  fileprivate func number(_ name: String) throws -> Int64 {
    guard case .integer(let number)? = self[name] else {
      throw StoredIntentFault(description: "\(name) is missing, or not a number")
    }
    return number
  }

  fileprivate func optionalNumber(_ name: String) throws -> Int64? {
    try self[name].map { _ in try number(name) }
  }

  fileprivate func place(_ name: String) throws -> Int {
    guard let place = Int(exactly: try number(name)) else {
      throw StoredIntentFault(description: "\(name) is not a place")
    }
    return place
  }

  fileprivate func object(_ name: String) throws -> DataObject {
    guard let object = self[name]?.object else {
      throw StoredIntentFault(description: "\(name) is missing, or not an object")
    }
    return object
  }

  fileprivate func list(_ name: String) throws -> [DataValue] {
    guard let elements = self[name]?.array else {
      throw StoredIntentFault(description: "\(name) is missing, or not a list")
    }
    return elements
  }

  func optionalList(_ name: String) throws -> [DataValue] {
    self[name] == nil ? [] : try list(name)
  }

  fileprivate func account(_ name: String = "account") throws -> DID { try DID(parsing: try text(name)) }

  fileprivate func uri(_ name: String) throws -> ATURI { try ATURI(parsing: try text(name)) }

  fileprivate func time(_ name: String) throws -> Datetime { try Datetime(parsing: try text(name)) }

  func optionalTime(_ name: String) throws -> Datetime? {
    try self[name].map { _ in try time(name) }
  }

  fileprivate func word<Word: RawRepresentable>(_ name: String) throws -> Word where Word.RawValue == String {
    let text = try text(name)
    guard let word = Word(rawValue: text) else {
      throw StoredIntentFault(description: "the \(name) \"\(text)\" is unknown")
    }
    return word
  }

  fileprivate func edge() throws -> RecordEdge {
    let collection = try NSID(parsing: try text("collection"))
    let known = EdgeKind.known.first { $0.collection == collection }
    let isRepeatable = try flag("isRepeatable")
    let kind = known ?? EdgeKind(collection, isUnique: !isRepeatable)
    let edge: RecordEdge? =
      switch kind.target {
      case .account: RecordEdge(kind, to: try account())
      case .list: RecordEdge(kind, to: try uri("list"))
      case .post: RecordEdge(kind, toPost: try uri("post"))
      case .member: .member(try account(), of: try uri("list"))
      }
    guard let edge else { throw StoredIntentFault(description: "it is not an edge of \(collection)") }
    return edge
  }
}
