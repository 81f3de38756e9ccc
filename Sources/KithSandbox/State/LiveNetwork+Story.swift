// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension LiveNetwork {
  /// Advances the story by a day.
  ///
  /// - Returns: the events; nil after the end of the story.
  @discardableResult
  func passDay() -> [SandboxEvent]? {
    story.withLock { story in
      // Do not keep a reference to the graph: applying the events would copy it.
      guard let events = story.pass(in: state { $0.graph }) else { return nil }
      if story.growth?.goesRound(on: story.day) == true { sendRound() }
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
        "createdAt": .string(Datetime(at: wall()).description),
      ]
      _ = setRecords([nextKey(): value], in: collection, of: account)
    case .unfollowed:
      remove(App.Bsky.Graph.Follow.nsid, of: account) { record in subject(of: record) == event.subject }
    case .deleted:
      // Deletes its records along with it.
      for collection in [App.Bsky.Graph.Follow.nsid, App.Bsky.Graph.Block.nsid] {
        remove(collection, of: account) { _ in true }
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

  /// Gives the account a handle that contains the day.
  private func rename(_ account: DID, on day: Int) {
    guard let index = network.index(of: account) else { return }
    state { state in
      let name = state.graph.standings.handle(at: index).description.prefix { $0 != "." }
      guard let handle = Handle("\(name)-day\(day).test") else { return }
      state.graph.standings.rename(index, to: handle)
    }
  }

  /// Spreads alice's latest post far beyond the usual.
  private func sendRound() {
    let now = wall()
    let latest = posts.items(of: NamedAccount.alice.rawValue, before: now, limit: 1) { $0.kind != .repost }
    state { $0.viral.formUnion(latest) }
  }

  /// Removes the matching records of a collection.
  private func remove(_ collection: NSID, of did: DID, where passes: (StoredRecord) -> Bool) {
    guard let account = network.index(of: did) else { return }
    let table = state { $0.repository(account).table(collection) }
    let keys = table.entries.filter { passes($0.record) }.map(\.key)
    let values = Dictionary(keys.map { ($0, DataValue?.none) }) { first, _ in first }
    if !values.isEmpty { _ = setRecords(values, in: collection, of: did) }
  }

  /// Returns the subject of a record without computing the rest of its content.
  func subject(of record: StoredRecord) -> DID? {
    switch record {
    case .follow(let edge): network.dids[network.follows.column(of: edge)]
    case .block(let edge): network.dids[network.blocks.column(of: edge)]
    case .written(let written): written.value["subject"]?.string.flatMap { DID($0) }
    default: nil
    }
  }
}
