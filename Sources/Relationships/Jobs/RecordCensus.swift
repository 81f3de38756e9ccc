// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What the own repository holds of what some writes are about. Of what nobody asked for, nothing is known.
struct RecordCensus: Sendable, Hashable {
  private var holders: [RecordEdge: Set<RecordKey>] = [:]
  private var presence: [NSID: [RecordKey: Bool]] = [:]
  /// The collections that have to be listed.
  private(set) var collections: Set<NSID> = []

  /// Asks for what a write is about; before the collections are listed.
  mutating func ask(about write: RecordWrite) {
    guard RecordEdge.collections.contains(write.collection) else { return }
    switch write.action {
    case .create:
      guard let edge = write.edge else { return }
      holders[edge] = []
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

  /// Whether the record that a write takes away is certainly not there.
  func isGone(_ write: RecordWrite) -> Bool {
    guard case .delete = write.action else { return false }
    return presence[write.collection]?[write.rkey] == false
  }
}
