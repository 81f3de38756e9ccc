// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// One account's repository: the generated records with all later changes.
struct SandboxRepository: Sendable {
  let network: SandboxNetwork
  /// The owner, as a number in the network.
  let account: Int
  /// The latest commit.
  private(set) var head: Com.Atproto.Repo.Defs.CommitMeta
  /// The collections that were written to.
  private var tables: [NSID: RecordTable] = [:]

  /// Creates a repository in its initial state.
  init(_ network: SandboxNetwork, account: Int) {
    self.network = network
    self.account = account
    head = Com.Atproto.Repo.Defs.CommitMeta(
      cid: Identities.cid(seed: UInt64(account)), rev: Identities.firstRevision)
  }

  /// Returns the latest commit. If nothing was written yet, it pretends that three of four accounts have
  /// posted in the twenty days before today, and that the others have been silent since their newest record.
  func latestCommit(at now: Instant) -> Com.Atproto.Repo.Defs.CommitMeta {
    guard head.rev == Identities.firstRevision else { return head }
    let random = SplitMix64.mix(UInt64(account))
    let newest = SandboxNetwork.collections.compactMap { table($0).entries.last?.key.tid }.max()
    let today = Instant(secondsSinceEpoch: now.secondsSinceEpoch / 86_400 * 86_400)
    let posted = TID(at: today - .seconds(random / 4 % (20 * 86_400)), clockID: 0)
    let rev = random.isMultiple(of: 4) ? newest ?? head.rev : posted
    return Com.Atproto.Repo.Defs.CommitMeta(cid: cid(of: rev), rev: rev)
  }

  /// Returns the records of a collection; empty if there is no such collection.
  func table(_ collection: NSID) -> RecordTable {
    tables[collection] ?? RecordTable(network.records(of: account, in: collection))
  }

  /// The collections that have records.
  var collections: [NSID] {
    Set(SandboxNetwork.collections).union(tables.keys)
      .union(OtherApps.records(of: account, in: network).keys).filter { !table($0).entries.isEmpty }
      .sorted { $0.description < $1.description }
  }

  func record(_ name: SandboxRecordName) -> WrittenRecord? {
    table(name.collection)[name.key].map(network.content(of:))
  }

  /// Loads a collection into memory, so that repeated reads are cheap.
  mutating func open(_ collection: NSID) {
    if tables[collection] == nil { tables[collection] = table(collection) }
  }

  /// Makes one commit.
  ///
  /// - Parameter outcome: the new content of each record; nil to delete it.
  /// - Returns: the change of each record.
  mutating func commit(
    _ outcome: [(name: SandboxRecordName, written: WrittenRecord?)], rev: TID, at moment: Instant
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
    head = Com.Atproto.Repo.Defs.CommitMeta(cid: cid(of: rev), rev: rev)
    return done
  }

  private func cid(of rev: TID) -> CID {
    Identities.cid(seed: SplitMix64.mix(rev.bits) ^ SplitMix64.mix(UInt64(account)))
  }
}
