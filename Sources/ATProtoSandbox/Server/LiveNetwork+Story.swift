// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

extension LiveNetwork {
  /// Lets a day of the story pass.
  ///
  /// - Returns: what happened; nil where the story is over.
  @discardableResult
  func passDay() -> [SandboxEvent]? {
    story.withLock { story in
      let graph = state { $0.graph }
      guard let events = story.pass(in: graph) else { return nil }
      for event in events { enact(event) }
      return events
    }
  }

  private func enact(_ event: SandboxEvent) {
    let account = event.account
    switch event.kind {
    case .followed, .blocked:
      guard let subject = event.subject else { return }
      let collection = event.kind == .followed ? App.Bsky.Graph.Follow.nsid : App.Bsky.Graph.Block.nsid
      let value: DataValue = [
        "$type": .string(collection.description), "subject": .string(subject.description),
        "createdAt": .string(Datetime(microsecondsSinceEpoch: wall()).description),
      ]
      _ = setRecords([nextKey(): value], in: collection, of: account)
    case .unfollowed:
      let subject = event.subject?.description
      let keys = records(of: account, in: App.Bsky.Graph.Follow.nsid).filter {
        $0.value["subject"]?.string == subject
      }.map(\.key)
      remove(keys, in: App.Bsky.Graph.Follow.nsid, of: account)
    case .deleted:
      // Its records go along with it.
      for collection in [App.Bsky.Graph.Follow.nsid, App.Bsky.Graph.Block.nsid] {
        remove(records(of: account, in: collection).map(\.key), in: collection, of: account)
      }
      set(.deleted, of: account)
    case .deactivated: set(.deactivated, of: account)
    case .reactivated: set(.active, of: account)
    case .suspended: set(.suspended, of: account)
    case .takenDown: set(.takenDown, of: account)
    case .renamed: rename(account, on: event.day)
    }
  }

  private func set(_ status: SandboxAccount.Status, of account: DID) {
    guard let index = network.index(of: account) else { return }
    state { $0.graph.standings.set(status, at: index) }
  }

  /// Gives the account a handle that tells the day.
  private func rename(_ account: DID, on day: Int) {
    guard let index = network.index(of: account) else { return }
    state { state in
      let name = state.graph.standings.handle(at: index).description.prefix { $0 != "." }
      guard let handle = Handle("\(name)-day\(day).test") else { return }
      state.graph.standings.rename(index, to: handle)
    }
  }

  private func remove(_ keys: [RecordKey], in collection: NSID, of account: DID) {
    let values = Dictionary(keys.map { ($0, DataValue?.none) }) { first, _ in first }
    if !values.isEmpty { _ = setRecords(values, in: collection, of: account) }
  }
}
