// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Writes for one commit, evaluated one after the other before any of them is applied.
struct Changeset {
  private let repository: SandboxRepository
  private var order: [SandboxRecordName] = []
  private var values: [SandboxRecordName: WrittenRecord?] = [:]

  init(_ repository: SandboxRepository) { self.repository = repository }

  /// A record as it would be after the writes so far.
  subscript(name: SandboxRecordName) -> WrittenRecord? {
    get {
      if let changed = values[name] { return changed }
      return repository.record(name)
    }
    set {
      if values.updateValue(newValue, forKey: name) == nil { order.append(name) }
    }
  }

  /// The final state of each record, in the order of the first writes.
  var outcome: [(name: SandboxRecordName, written: WrittenRecord?)] {
    order.map { (name: $0, written: values[$0] ?? nil) }
  }
}
