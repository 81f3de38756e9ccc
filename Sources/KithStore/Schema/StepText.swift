// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships
internal import KithWriting

/// The text of a step in the journal: JSON, with records as servers accept them.
///
/// `{"writes": [{"action", "collection", "rkey", "value", "former"}]}`, `{"call": CALL, "former": CALL}`, where a call
/// is `{"name", "subject", "scope"}`, `{"end": {"job", "position", "until", "former"}}`, or `{"decline": {"uri", "cid",
/// "isTakenBack"}}`. Writes that act on an accepted request have it beside them, as `"settles": {"uri", "cid"}`. The
/// subject of the step is in its own column.
enum StepText {
  /// What is wrong with the text of a step.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  /// Encodes a step.
  ///
  /// - Throws: `EncodingError` for a record outside the data model.
  static func text(of step: ChangeStep) throws -> String {
    String(decoding: try JSONCoding.encode(value(step)), as: UTF8.self)
  }

  /// The value that is encoded.
  static func value(_ step: ChangeStep) -> DataValue {
    var fields = DataObject()
    switch step.action {
    case .write(let writes): fields["writes"] = .array(writes.map(value))
    case .call(let call, let former):
      fields["call"] = value(call)
      fields["former"] = former.map(value)
    case .end(let change): fields["end"] = value(change)
    case .decline(let decline): fields["decline"] = value(decline)
    }
    fields["settles"] = step.settles.map(\.value)
    return .object(fields)
  }

  /// Decodes a step.
  ///
  /// - Throws: `DecodingError`, ``Fault``; also for a record of a collection that jobs do not write to.
  static func step(_ text: String, about subject: String?) throws -> ChangeStep {
    guard let subject = subject.flatMap({ ChangeStep.Subject($0) }) else {
      throw Fault(description: "it has no subject")
    }
    return try step(try JSONCoding.decode(DataValue.self, from: Array(text.utf8)), about: subject)
  }

  /// Reads the value of a step.
  static func step(_ value: DataValue, about subject: ChangeStep.Subject) throws -> ChangeStep {
    if let writes = try value["writes"]?.array?.map({ try write($0, about: subject) }) {
      if let odd = writes.first(where: { !$0.belongs(to: subject) }) {
        throw Fault(description: "jobs do not write to \(odd.collection) about \(subject)")
      }
      return ChangeStep(
        subject: subject, action: .write(writes), settles: try value["settles"].map(version))
    }
    if let end = value["end"] {
      return ChangeStep(subject: subject, action: .end(try self.end(end)))
    }
    if let decline = value["decline"] {
      return ChangeStep(subject: subject, action: .decline(try self.decline(decline)))
    }
    guard let call = value["call"] else {
      throw Fault(description: "a step must be writes, a call, a change of an end or a declined request")
    }
    return ChangeStep(
      subject: subject, action: .call(try self.call(call), former: try value["former"].map(self.call)))
  }

  /// The target of a call, which a later call with the same target supersedes; nil for writes.
  static func target(of step: ChangeStep) -> String? { step.call?.target.description }

  /// Returns the subject of a step that an earlier version stored without one: a step about a list.
  ///
  /// - Parameter account: The account whose records it writes.
  static func subject(of text: String, account: String) throws -> String {
    let value = try JSONCoding.decode(DataValue.self, from: Array(text.utf8))
    if let call = value["call"] { return try string("subject", of: call) }
    for write in value["writes"]?.array ?? [] {
      let record = write["value"] ?? write["former"]
      switch write["collection"]?.string {
      case NSID.listblock.description: if let list = record?["subject"]?.string { return list }
      case NSID.list.description:
        if write["action"]?.string == "create", let name = record?["name"]?.string {
          return ChangeStep.Subject.listName(name).description
        }
        return "at://\(account)/\(NSID.list)/\(try string("rkey", of: write))"
      default: if let list = record?["list"]?.string { return list }
      }
    }
    throw Fault(description: "it has no subject")
  }

  private static func value(_ decline: Decline) -> DataValue {
    [
      "uri": .string(decline.request.uri.description), "cid": .string(decline.request.cid.description),
      "isTakenBack": .bool(decline.isTakenBack),
    ]
  }

  private static func decline(_ value: DataValue) throws -> Decline {
    Decline(try version(value), isTakenBack: value["isTakenBack"]?.bool ?? false)
  }

  private static func version(_ value: DataValue) throws -> RecordVersion {
    RecordVersion(
      uri: try ATURI(parsing: try string("uri", of: value)),
      cid: try CID(parsing: try string("cid", of: value)))
  }

  private static func value(_ write: RecordWrite) -> DataValue {
    var fields: DataObject = [
      "collection": .string(write.collection.description), "rkey": .string(write.rkey.description),
    ]
    // What a server let into the collection although it is of another type is not written back.
    func restorable(_ record: DataValue) -> DataValue? {
      isOfAnotherType(record, than: write.collection) ? .none : .some(record)
    }
    switch write.action {
    case .create(let value):
      fields["action"] = "create"
      fields["value"] = value
    case .update(let value, let former):
      fields["action"] = "update"
      fields["value"] = value
      fields["former"] = former.flatMap(restorable)
    case .delete(let former):
      fields["action"] = "delete"
      fields["former"] = former.flatMap(restorable)
    }
    return .object(fields)
  }

  private static func write(
    _ value: DataValue, about subject: ChangeStep.Subject
  ) throws -> RecordWrite {
    let collection = try NSID(parsing: try string("collection", of: value))
    // An earlier version remembered what a server had let into the collection; an undo would write it back.
    var former = value["former"]
    if let record = former, isOfAnotherType(record, than: collection) { former = .none }
    let action: RecordWrite.Action =
      switch (value["action"]?.string, value["value"]) {
      case ("create", let record?): .create(record)
      case ("update", let record?): .update(record, former: former)
      case ("delete", nil): .delete(former: former)
      default: throw Fault(description: "a write must be a create, update or delete")
      }
    // Of a kind without rules only edges are written, unless the step is about a record; which kinds, the store knows.
    let content = value["value"] ?? value["former"]
    guard
      RecordKind(of: collection) != nil || subject.isOfRecords
        || content.flatMap({ RecordEdge($0, in: collection) }) != nil
    else {
      throw Fault(description: "jobs do not write to \(collection)")
    }
    // A server may accept any record in any collection.
    if let record = value["value"], isOfAnotherType(record, than: collection) {
      throw Fault(description: "a record in \(collection) has another type")
    }
    return RecordWrite(
      collection: collection,
      rkey: try RecordKey(parsing: try string("rkey", of: value)), action: action)
  }

  private static func isOfAnotherType(_ record: DataValue, than collection: NSID) -> Bool {
    record["$type"].map { $0.string != collection.description } ?? false
  }

  private static func value(_ change: EndChange) -> DataValue {
    var fields: DataObject = [
      "job": .integer(change.job.number), "position": .integer(Int64(change.position)),
    ]
    fields["until"] = change.until.map { .string($0.description) }
    fields["former"] = change.former.map { .string($0.description) }
    return .object(fields)
  }

  private static func end(_ value: DataValue) throws -> EndChange {
    guard case .integer(let job)? = value["job"], case .integer(let place)? = value["position"],
      let position = Int(exactly: place)
    else { throw Fault(description: "the item whose end changes is missing") }
    func moment(_ name: String) throws -> Datetime? {
      try value[name].map { _ in try Datetime(parsing: try string(name, of: value)) }
    }
    return EndChange(
      job: JobID(number: job), position: position, until: try moment("until"), former: try moment("former"))
  }

  private static func value(_ call: ViewerCall) -> DataValue {
    switch call {
    case .mute(let actor, let scope):
      ["name": "mute", "subject": .string(actor.description), "scope": .string(scope.rawValue)]
    case .unmute(let actor): ["name": "unmute", "subject": .string(actor.description)]
    case .muteList(let list): ["name": "muteList", "subject": .string(list.description)]
    case .unmuteList(let list): ["name": "unmuteList", "subject": .string(list.description)]
    }
  }

  private static func call(_ value: DataValue) throws -> ViewerCall {
    let subject = try string("subject", of: value)
    switch try string("name", of: value) {
    case "mute":
      guard let scope = MuteScope(rawValue: try string("scope", of: value)) else {
        throw Fault(description: "the scope of the mute is unknown")
      }
      return .mute(try DID(parsing: subject), scope)
    case "unmute": return .unmute(try DID(parsing: subject))
    case "muteList": return .muteList(try ATURI(parsing: subject))
    case "unmuteList": return .unmuteList(try ATURI(parsing: subject))
    default: throw Fault(description: "a call must be a mute or an unmute")
    }
  }

  private static func string(_ name: String, of value: DataValue) throws -> String {
    guard let text = value[name]?.string else { throw Fault(description: "\(name) is missing") }
    return text
  }
}

extension ChangeStep.Subject {
  /// Whether it is about records, whatever they say.
  var isOfRecords: Bool {
    switch self {
    case .newRecords, .record: true
    case .account, .list, .listName, .post, .profile: false
    }
  }
}

extension RecordWrite {
  /// Whether a step about a subject may contain it: nothing that is about accounts or lists publishes a post.
  fileprivate func belongs(to subject: ChangeStep.Subject) -> Bool {
    switch (collection, subject) {
    case (.post, .post), (.post, .newRecords), (.threadgate, .post), (.threadgate, .newRecords),
      (.postgate, .post), (.postgate, .newRecords), (.profile, .profile),
      (EdgeKind.like.collection, .post), (EdgeKind.repost.collection, .post):
      true
    case (_, .newRecords): RecordKind.isOpen(collection)
    case (_, .record(let record)):
      RecordKind.isOpen(collection) && record.collection == collection && record.recordKey == rkey
    case (.post, _), (.threadgate, _), (.postgate, _), (.profile, _), (EdgeKind.like.collection, _),
      (EdgeKind.repost.collection, _), (_, .post), (_, .profile):
      false
    default: true
    }
  }
}
