// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithCrypto
public import KithRelationships

extension ChangePlanner {
  func plan(_ change: RecordChange, knowing known: SubjectFacts) -> PlannedChange {
    let intent = ChangeIntent.records(change)
    switch change {
    case .make(let drafts): return make(drafts, change)
    case .put(let record, let fields):
      return withFormer(of: record, intent, known) { name, former in
        let fields = fields.typed(name.collection)
        guard fields["$type"]?.string == name.collection.description else {
          return .refused(.invalidRecord("its $type is not \(name.collection)"))
        }
        let value = DataValue.object(fields)
        if former == value { return .holds }
        let action = former.map { RecordWrite.Action.update(value, former: $0) } ?? .create(value)
        return commits(
          change.subject, [RecordWrite(collection: name.collection, rkey: name.rkey, action: action)])
      }
    case .delete(let record):
      return withFormer(of: record, intent, known) { name, former in
        guard let former else { return .holds }
        let write = RecordWrite(
          collection: name.collection, rkey: name.rkey, action: .delete(former: former))
        return commits(change.subject, [write])
      }
    }
  }

  private func withFormer(
    of record: ATURI, _ intent: ChangeIntent, _ known: SubjectFacts,
    _ plan: (RecordName, DataValue?) -> PlannedChange.Outcome
  ) -> PlannedChange {
    guard let name = record.recordName else {
      return PlannedChange(intent, .refused(.invalidRecord("\(record) has no record key")))
    }
    guard RecordKind.isOpen(name.collection) else {
      return PlannedChange(intent, .refused(.hasOwnRules(record)))
    }
    guard record.authority == .did(account) else {
      return PlannedChange(intent, .refused(.notYourRecord(record)))
    }
    // One outside the data model could not come back.
    guard let former = known.named[name], former != .null else { return unknown(intent, "your record") }
    return PlannedChange(intent, plan(name, former))
  }

  private func make(_ drafts: [RecordDraft], _ change: RecordChange) -> PlannedChange {
    let intent = ChangeIntent.records(change)
    guard !drafts.isEmpty, drafts.count <= RecordWrite.mostPerCommit else {
      return PlannedChange(intent, .refused(.tooManyRecords(drafts.count)))
    }
    var writes: [RecordWrite] = []
    var dates: [Datetime] = []
    var keysMade = 0
    for (place, draft) in drafts.enumerated() {
      guard draft.canBeMade else {
        return PlannedChange(
          intent, .refused(.hasOwnRules(ATURI(authority: .did(account), collection: draft.collection))))
      }
      guard draft.others.allSatisfy({ (0..<place).contains($0) }) else {
        return PlannedChange(
          intent, .refused(.invalidRecord("a reference must name an earlier record of the same change")))
      }
      let rkey = draft.sharedKey.map { writes[$0].rkey } ?? RecordKey(tid: keys.next())
      guard !writes.contains(where: { $0.collection == draft.collection && $0.rkey == rkey }) else {
        return PlannedChange(
          intent, .refused(.invalidRecord("two records of one collection cannot share a key")))
      }
      // An AppView sorts by these dates.
      dates.append(draft.sharedKey.map { dates[$0] } ?? Datetime(at: now.instant + .milliseconds(keysMade)))
      if draft.sharedKey == nil { keysMade += 1 }
      let named = draft.references.map { reference in
        name(of: writes[reference.draft], isStrong: reference.isStrong)
      }
      guard !named.contains(nil) else {
        return PlannedChange(intent, .refused(.invalidRecord("it has no encoding")))
      }
      let names = Dictionary(zip(draft.references, named.compactMap(\.self))) { first, _ in first }
      let value = draft.record(createdAt: dates[place]) { names[$0] ?? .null }
      writes.append(RecordWrite(collection: draft.collection, rkey: rkey, action: .create(value)))
    }
    return PlannedChange(intent, commits(change.subject, writes))
  }

  /// What names a new record: its URI, with the version for a strong one; nil if it has no encoding.
  private func name(of write: RecordWrite, isStrong: Bool) -> DataValue? {
    let uri = ATURI(authority: .did(account), collection: write.collection, recordKey: write.rkey)
    guard isStrong else { return .string("\(uri)") }
    // The server stores what it is sent.
    guard case .create(let value) = write.action, let cid = CID(of: value) else { return nil }
    return RecordVersion(uri: uri, cid: cid).value
  }
}

extension DataObject {
  /// The fields of a record, which names its collection.
  func typed(_ collection: NSID) -> DataObject {
    var fields = self
    if fields["$type"] == nil { fields["$type"] = .string(collection.description) }
    return fields
  }
}

extension RecordDraft {
  /// Whether such a record can be made by itself.
  fileprivate var canBeMade: Bool {
    switch collection {
    case .post: true
    case .threadgate, .postgate: sharedKey != nil
    default: RecordKind.isOpen(collection)
    }
  }

  /// The places of the drafts that it depends on.
  fileprivate var others: [Int] { references.map(\.draft) + [sharedKey].compactMap(\.self) }
}

extension ChangeRefusal.Code {
  /// The record belongs to another account.
  public static let notYourRecord = Self(rawValue: "notYourRecord")
  /// Records of this kind have changes of their own, such as follows and lists.
  public static let hasOwnRules = Self(rawValue: "hasOwnRules")
}

extension ChangeRefusal {
  static func notYourRecord(_ record: ATURI) -> ChangeRefusal {
    ChangeRefusal(.notYourRecord, "\(record) is not yours; only \(record.authority) can change it")
  }

  static func hasOwnRules(_ record: ATURI) -> ChangeRefusal {
    ChangeRefusal(.hasOwnRules, "\(record) cannot be changed as a plain record; use the change for its kind")
  }

  static func invalidRecord(_ reason: String) -> ChangeRefusal {
    ChangeRefusal(.invalid, "invalid record: \(reason)")
  }

  static func tooManyRecords(_ count: Int) -> ChangeRefusal {
    ChangeRefusal(
      .invalid, "a change makes 1 to \(RecordWrite.mostPerCommit) records together, not \(count)")
  }
}
