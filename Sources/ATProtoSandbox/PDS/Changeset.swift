// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Writes that go into one commit together, worked out one after the other before any is done.
struct Changeset {
  private let repository: SandboxRepository
  private var order: [RecordName] = []
  private var values: [RecordName: WrittenRecord?] = [:]

  init(_ repository: SandboxRepository) { self.repository = repository }

  /// A record as it would stand after the writes so far.
  subscript(name: RecordName) -> WrittenRecord? {
    get {
      if let changed = values[name] { return changed }
      return repository.record(name)
    }
    set {
      if values.updateValue(newValue, forKey: name) == nil { order.append(name) }
    }
  }

  /// What each record is to be, in the order in which they were first written to.
  var outcome: [(name: RecordName, written: WrittenRecord?)] {
    order.map { (name: $0, written: values[$0] ?? nil) }
  }
}
