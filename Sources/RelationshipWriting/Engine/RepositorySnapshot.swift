// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

/// What the account's own repository holds of the records that some writes are about. It only knows what it
/// was asked about.
struct RepositorySnapshot: Sendable, Hashable {
  private var holders: [RecordEdge: Set<RecordKey>] = [:]
  private var presence: [NSID: [RecordKey: Bool]] = [:]
  private var values: [NSID: [RecordKey: DataValue?]] = [:]
  /// The collections that have to be listed.
  private(set) var collections: Set<NSID> = []
  /// With more edges and records than this in a collection, all of its records are gone through.
  private static let mostLookups = 1_000

  /// Stores the content of a record to be updated, which listings do not contain; nil if there is no such
  /// record.
  mutating func take(_ value: DataValue?, of write: RecordWrite) {
    values[write.collection, default: [:]].updateValue(value, forKey: write.rkey)
  }

  /// Updates the stored content of a record after a write was done, if it was stored before.
  mutating func take(done write: RecordWrite) {
    guard case .update(let value, _) = write.action, self.value(of: write) != nil else { return }
    take(value, of: write)
  }

  /// Registers what a write is about; call it before the collections are listed.
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

  /// The records that are asked about.
  var wanted: [NSID: OwnRecordFilter] {
    var wanted: [NSID: OwnRecordFilter] = [:]
    for collection in collections {
      let keys = presence[collection].map { Set($0.keys) } ?? []
      // Lists are named in more than one way.
      wanted[collection] =
        keys.count > Self.mostLookups || collection == .listblock
        ? .all : .some(subjects: subjects(in: collection), keys: keys)
    }
    return wanted
  }

  private func subjects(in collection: NSID) -> Set<String> {
    Set(holders.keys.filter { $0.collection == collection }.compactMap { $0.account?.description })
  }

  /// Takes a record of a listing; ignores those that were not asked about.
  mutating func take(_ rkey: RecordKey, _ edge: RecordEdge?, in collection: NSID) {
    if let edge, holders[edge] != nil { holders[edge]?.insert(rkey) }
    if presence[collection]?[rkey] != nil { presence[collection]?[rkey] = true }
  }

  /// Whether the record that a write creates exists.
  func holds(_ write: RecordWrite) -> Bool {
    write.edge.flatMap { holders[$0]?.contains(write.rkey) } ?? false
  }

  /// Whether another record already expresses the edge that a write would create.
  func isHeldByAnother(_ write: RecordWrite) -> Bool {
    guard let keys = write.edge.flatMap({ holders[$0] }) else { return false }
    return keys.contains { $0 != write.rkey }
  }

  /// The content of the record that a write updates; the inner nil means no record, the outer one that
  /// nothing was asked.
  func value(of write: RecordWrite) -> DataValue?? { values[write.collection]?[write.rkey] }

  /// Whether the key of the record that a write creates was free when the collection was listed.
  func hasFreeKey(_ write: RecordWrite) -> Bool {
    guard case .create = write.action else { return false }
    return presence[write.collection]?[write.rkey] == false
  }

  /// Whether the record that a write deletes is certainly gone.
  func isGone(_ write: RecordWrite) -> Bool {
    guard case .delete = write.action else { return false }
    return presence[write.collection]?[write.rkey] == false
  }
}
