// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

/// One account's repository: the records of the made-up network with what was changed since.
struct SandboxRepository: Sendable {
  let network: SandboxNetwork
  /// Whose it is, as a number in the network.
  let account: Int
  /// The latest commit.
  private(set) var head: Com.Atproto.Repo.Defs.CommitMeta
  /// Collections that were written to.
  private var tables: [NSID: RecordTable] = [:]

  /// The repository as it was made.
  init(_ network: SandboxNetwork, account: Int) {
    self.network = network
    self.account = account
    head = Com.Atproto.Repo.Defs.CommitMeta(
      cid: Identities.cid(seed: UInt64(account)), rev: Identities.firstRevision)
  }

  /// The latest commit. Where nothing was written since the network was made, three of four accounts have posted in the
  /// last twenty days, as it were; the others have been silent since their newest record.
  func latestCommit(at now: Int64) -> Com.Atproto.Repo.Defs.CommitMeta {
    guard head.rev == Identities.firstRevision else { return head }
    let random = SplitMix64.mix(UInt64(account))
    let newest = SandboxNetwork.collections.compactMap { table($0).entries.last?.key.tid }.max()
    let posted = TID(microseconds: now - Int64(random / 4 % (20 * 86_400)) * 1_000_000, clockID: 0)
    return Com.Atproto.Repo.Defs.CommitMeta(
      cid: head.cid, rev: random.isMultiple(of: 4) ? newest ?? head.rev : posted)
  }

  /// The records of a collection; none where there is no such collection.
  func table(_ collection: NSID) -> RecordTable {
    tables[collection] ?? RecordTable(network.records(of: account, in: collection))
  }

  /// Collections that have records.
  var collections: [NSID] {
    Set(SandboxNetwork.collections).union(tables.keys).filter { !table($0).entries.isEmpty }
      .sorted { $0.description < $1.description }
  }

  func record(_ name: RecordName) -> WrittenRecord? {
    table(name.collection)[name.key].map(network.content(of:))
  }

  /// Has the collection at hand, so that many looks at it are cheap.
  mutating func open(_ collection: NSID) {
    if tables[collection] == nil { tables[collection] = table(collection) }
  }

  /// Makes one commit.
  ///
  /// - Parameter outcome: what each record is to be; nil for one that is to go.
  /// - Returns: what became of each record.
  mutating func commit(
    _ outcome: [(name: RecordName, written: WrittenRecord?)], rev: TID, at moment: Int64
  ) -> [RecordChange] {
    var done: [RecordChange] = []
    for (name, written) in outcome {
      open(name.collection)
      let former = record(name)
      tables[name.collection]?[name.key] = written.map { .written($0) }
      done.append(
        RecordChange(
          account: account, collection: name.collection, key: name.key, former: former?.value,
          written: written, moment: moment))
    }
    let seed = SplitMix64.mix(rev.bits) ^ SplitMix64.mix(UInt64(account))
    head = Com.Atproto.Repo.Defs.CommitMeta(cid: Identities.cid(seed: seed), rev: rev)
    return done
  }
}

/// A record's name within a repository.
struct RecordName: Sendable, Hashable {
  let collection: NSID
  let key: RecordKey
}
