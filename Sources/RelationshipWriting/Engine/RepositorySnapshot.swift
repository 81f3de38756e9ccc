// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

/// What the own repository holds of what some writes are about. Of what nobody asked for, nothing is known.
struct RepositorySnapshot: Sendable, Hashable {
  private var holders: [RecordEdge: Set<RecordKey>] = [:]
  private var presence: [NSID: [RecordKey: Bool]] = [:]
  private var values: [NSID: [RecordKey: DataValue?]] = [:]
  /// The collections that have to be listed.
  private(set) var collections: Set<NSID> = []

  /// Takes what a record says that is to be updated, which no listing tells; nil where there is none.
  mutating func take(_ value: DataValue?, of write: RecordWrite) {
    values[write.collection, default: [:]].updateValue(value, forKey: write.rkey)
  }

  /// Takes what a write that was done has made of the record that it updates, where that was taken before.
  mutating func take(done write: RecordWrite) {
    guard case .update(let value, _) = write.action, self.value(of: write) != nil else { return }
    take(value, of: write)
  }

  /// Asks for what a write is about; before the collections are listed.
  mutating func ask(about write: RecordWrite) {
    guard RecordEdge.collections.contains(write.collection) else { return }
    switch write.action {
    case .create:
      guard let edge = write.edge else { return }
      holders[edge] = []
      presence[write.collection, default: [:]][write.rkey] = false
    case .delete: presence[write.collection, default: [:]][write.rkey] = false
    case .update: return
    }
    collections.insert(write.collection)
  }

  /// Takes a record of a listing; one that nobody asked for is passed over.
  mutating func take(_ rkey: RecordKey, _ edge: RecordEdge?, in collection: NSID) {
    if let edge, holders[edge] != nil { holders[edge]?.insert(rkey) }
    if presence[collection]?[rkey] != nil { presence[collection]?[rkey] = true }
  }

  /// Whether the record is there that a write makes.
  func holds(_ write: RecordWrite) -> Bool {
    write.edge.flatMap { holders[$0]?.contains(write.rkey) } ?? false
  }

  /// Whether another record says already what the one would that a write makes.
  func isHeldByAnother(_ write: RecordWrite) -> Bool {
    guard let keys = write.edge.flatMap({ holders[$0] }) else { return false }
    return keys.contains { $0 != write.rkey }
  }

  /// What the record says that a write updates, nil inside where there is none; nil where nobody asked.
  func value(of write: RecordWrite) -> DataValue?? { values[write.collection]?[write.rkey] }

  /// Whether no record had the key of one that a write makes when the collection was listed.
  func hasFreeKey(_ write: RecordWrite) -> Bool {
    guard case .create = write.action else { return false }
    return presence[write.collection]?[write.rkey] == false
  }

  /// Whether the record that a write takes away is certainly not there.
  func isGone(_ write: RecordWrite) -> Bool {
    guard case .delete = write.action else { return false }
    return presence[write.collection]?[write.rkey] == false
  }
}
