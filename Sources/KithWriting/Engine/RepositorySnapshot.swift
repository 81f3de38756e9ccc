// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// What the account's own repository holds of the records that some writes are about. It only knows what it
/// was asked about.
struct RepositorySnapshot: Sendable, Hashable {
  private var holders: [RecordEdge: Set<RecordKey>] = [:]
  private var presence: [NSID: [RecordKey: Bool]] = [:]
  private var values: [NSID: [RecordKey: DataValue?]] = [:]
  /// Lists that are to be deleted, with the members that are on them.
  private var members: [ATURI: Set<RecordKey>] = [:]
  /// The records of such members that no step of the job deletes, because they were added meanwhile.
  private var strays: [RecordKey: DataValue] = [:]
  /// Records of reactions that other jobs have made.
  private var expected: [NSID: Set<RecordKey>] = [:]
  /// Own lists that members are added to, and those that the job itself creates.
  private var (joined, created): (Set<RecordKey>, Set<RecordKey>) = ([], [])
  /// The collections that have to be listed.
  private(set) var collections: Set<NSID> = []

  /// Stores the content of a record to be updated, which listings do not contain; nil if there is no such
  /// record.
  mutating func record(_ value: DataValue?, of write: RecordWrite) {
    values[write.collection, default: [:]].updateValue(value, forKey: write.rkey)
  }

  /// Updates the stored content of a record after a write was done, if it was stored before.
  mutating func record(done write: RecordWrite) {
    guard case .update(let value, _) = write.action, self.value(of: write) != nil else { return }
    record(value, of: write)
  }

  /// Registers what a write is about; call it before the collections are listed.
  ///
  /// - Parameter owner: the account whose lists are asked about.
  mutating func ask(about write: RecordWrite, of owner: DID? = nil) {
    if let owner { ask(aboutListsIn: write, of: owner) }
    guard let kind = write.edgeKind else { return }
    switch write.action {
    case .create:
      guard let edge = write.edge else { return }
      holders[edge] = []
      // Reactions are not listed, so that nothing is known about a key that was not looked up.
      if kind.target != .post { presence[write.collection, default: [:]][write.rkey] = false }
    case .delete: presence[write.collection, default: [:]][write.rkey] = false
    case .update: return
    }
    collections.insert(write.collection)
  }

  /// The posts to which reactions are to be made.
  var posts: [ATURI] { holders.keys.compactMap(\.post) }

  /// Asks about further records, which may express the same as those to be made.
  mutating func expect(_ names: Set<RecordName>) {
    for name in names { expected[name.collection, default: []].insert(name.rkey) }
  }

  private mutating func ask(aboutListsIn write: RecordWrite, of owner: DID) {
    switch (write.collection, write.action) {
    case (.list, .create): created.insert(write.rkey)
    case (.list, .delete):
      members[OwnList.uri(write.rkey, of: owner), default: []] = []
      collections.insert(.listitem)
    case (.listitem, .create):
      if let list = write.edge?.list, list.authority == .did(owner), let rkey = list.recordKey {
        joined.insert(rkey)
      }
    default: break
    }
  }

  /// The lists that have to exist, because members are added to them.
  var wantedLists: Set<RecordName> {
    Set(joined.subtracting(created).map { RecordName($0, in: .list) })
  }

  /// The members of lists to be deleted that no step of the job deletes; known once the collections are listed.
  var unplannedMembers: Set<RecordName> {
    let planned = presence[.listitem] ?? [:]
    let found = members.values.reduce(into: Set<RecordKey>()) { $0.formUnion($1) }
    return Set(found.filter { planned[$0] == nil }.map { RecordName($0, in: .listitem) })
  }

  /// Stores the records of ``unplannedMembers`` and ``wantedLists``; those that do not exist are left out.
  mutating func record(_ records: [RecordName: DataValue]) {
    for name in unplannedMembers { strays[name.rkey] = records[name] }
    for name in wantedLists { values[.list, default: [:]].updateValue(records[name], forKey: name.rkey) }
  }

  /// Whether a write adds a member to a list that certainly does not exist.
  func lacksList(of write: RecordWrite) -> Bool {
    guard write.collection == .listitem, let rkey = write.edge?.list?.recordKey, joined.contains(rkey),
      !created.contains(rkey), let list = values[.list]?[rkey]
    else { return false }
    return list == nil
  }

  /// Deletes the members of the lists that some writes delete, if they were added meanwhile: they would be left on
  /// a list that does not exist.
  func deletionsOfStrays(besides writes: [RecordWrite]) -> [RecordWrite] {
    let lists = writes.filter { $0.collection == .list && !$0.makesRecord }.map(\.rkey)
    let keys = members.filter { list, _ in list.recordKey.map(lists.contains) ?? false }.values
    return keys.joined().sorted { "\($0)" < "\($1)" }.compactMap { key in
      strays[key].map { RecordWrite(collection: .listitem, rkey: key, action: .delete(former: $0)) }
    }
  }

  /// The records that are asked about.
  var wanted: [NSID: OwnRecordFilter] {
    var wanted: [NSID: OwnRecordFilter] = [:]
    for collection in collections {
      let keys = (presence[collection].map { Set($0.keys) } ?? []).union(expected[collection] ?? [])
      // Lists are named in more than one way.
      wanted[collection] =
        collection == .listblock || collection == .listitem && !members.isEmpty
        ? .all : .some(subjects: subjects(in: collection), keys: keys)
    }
    return wanted
  }

  private func subjects(in collection: NSID) -> Set<String> {
    let edges = holders.keys.filter { $0.collection == collection }
    return Set(edges.compactMap { $0.account?.description ?? $0.post?.description })
  }

  /// Takes a record of a listing; ignores those that were not asked about.
  mutating func record(_ rkey: RecordKey, _ edge: RecordEdge?, in collection: NSID) {
    if let edge, holders[edge] != nil { holders[edge]?.insert(rkey) }
    if collection == .listitem, let list = edge?.list, members[list] != nil { members[list]?.insert(rkey) }
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
