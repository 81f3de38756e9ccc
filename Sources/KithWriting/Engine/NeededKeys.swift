// SPDX-License-Identifier: Apache-2.0

internal import KithCore
public import KithRelationships

/// Which changes need the keys that were chosen for their new records; some servers give them keys of their own.
///
/// A key is needed that says what its record is about, and the one of a record that another write names: a post of a
/// thread, a list with members.
struct NeededKeys {
  /// The records to be created, by URI.
  private var created: [String: RecordName] = [:]
  /// Those of them that another write names.
  private var named: Set<RecordName> = []

  /// Collects the new records of some writes.
  ///
  /// - Parameter others: further records that writes may name.
  init(
    of account: DID, in writes: some Sequence<RecordWrite>, besides others: Set<RecordName> = []
  ) {
    var values: [DataValue] = []
    var names = others
    for write in writes {
      if case .create = write.action { names.insert(write.name) }
      if let value = write.newValue { values.append(value) }
    }
    for name in names {
      let uri = ATURI(authority: .did(account), collection: name.collection, recordKey: name.rkey)
      created[uri.description] = name
    }
    for value in values { named.formUnion(self.names(in: value)) }
  }

  /// Whether writes come to nothing if new records are under other keys.
  ///
  /// - Parameter isMoved: whether a record is under another key.
  func areNeeded(by writes: [RecordWrite], _ isMoved: (RecordName) -> Bool = { _ in true }) -> Bool {
    writes.contains { write in
      guard let value = write.newValue else { return false }
      if case .create = write.action, write.needsItsKey || named.contains(write.name), isMoved(write.name) {
        return true
      }
      return names(in: value).contains(where: isMoved)
    }
  }

  /// The new records that a value names.
  private func names(in value: DataValue) -> [RecordName] {
    if let text = value.string { return created[text].map { [$0] } ?? [] }
    if let elements = value.array { return elements.flatMap(names) }
    return value.object?.values.flatMap(names) ?? []
  }
}

extension RecordWrite {
  /// Whether a new record says something else, or nothing, under another key.
  fileprivate var needsItsKey: Bool { hasFixedKey || collection == .threadgate || collection == .postgate }
}

extension [PlannedChange] {
  /// Refuses the changes that need the keys of their new records, for a server that gives records keys of its own.
  func refusingWhatNeedsKeys(of account: DID) -> [PlannedChange] {
    let needed = NeededKeys(of: account, in: lazy.flatMap(\.steps).flatMap(\.writes))
    return map { planned in
      needed.areNeeded(by: planned.steps.flatMap(\.writes)) ? planned.refused(.keyNotKept) : planned
    }
  }
}

extension ChangeRefusal.Code {
  /// The server gives new records keys of its own, and the change needs the chosen one.
  public static let keyNotKept = Self(rawValue: "keyNotKept")
}

extension ChangeRefusal {
  static let keyNotKept = ChangeRefusal(
    .keyNotKept,
    "your server gives new records keys of its own, and this needs the chosen key; nothing was sent")
}
