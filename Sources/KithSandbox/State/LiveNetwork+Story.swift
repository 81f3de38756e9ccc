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
    case .followed: event.subject.map { link(App.Bsky.Graph.Follow.nsid, from: account, to: $0) }
    case .blocked: event.subject.map { link(App.Bsky.Graph.Block.nsid, from: account, to: $0) }
    case .unfollowed: event.subject.map { unlink(App.Bsky.Graph.Follow.nsid, from: account, to: $0) }
    case .deleted: set(.deleted, of: account)
    case .deactivated: set(.deactivated, of: account)
    case .reactivated: set(.active, of: account)
    case .suspended: set(.suspended, of: account)
    case .takenDown: set(.takenDown, of: account)
    case .renamed: rename(account, on: event.day)
    }
  }

  /// Creates a follow or a block.
  func link(_ collection: NSID, from account: DID, to subject: DID) {
    let value: DataValue = [
      "$type": .string(collection.description), "subject": .string(subject.description),
      "createdAt": .string(Datetime(at: wall()).description),
    ]
    _ = setRecords([nextKey(): value], in: collection, of: account)
  }

  /// Deletes all follows or blocks of a subject.
  func unlink(_ collection: NSID, from account: DID, to subject: DID) {
    remove(collection, of: account) { record in self.subject(of: record) == subject }
  }

  /// Changes the status of an account. A deleted one loses its records, which subscribers learn from the status.
  func set(_ status: SandboxAccount.Status, of account: DID) {
    guard let index = network.index(of: account) else { return }
    if status == .deleted {
      for collection in [App.Bsky.Graph.Follow.nsid, App.Bsky.Graph.Block.nsid] {
        remove(collection, of: account, isStreamed: false) { _ in true }
      }
    }
    let now = wall()
    state { state in
      state.graph.standings.set(status, at: index)
      stream.append([.account(status)], of: account, at: now)
    }
  }

  /// Gives the account a handle that contains the day.
  private func rename(_ account: DID, on day: Int) {
    guard let index = network.index(of: account) else { return }
    let name = standings.handle(at: index).description.prefix { $0 != "." }
    if let handle = Handle("\(name)-day\(day).test") { rename(account, to: handle) }
  }

  func rename(_ account: DID, to handle: Handle) {
    guard let index = network.index(of: account) else { return }
    let now = wall()
    state { state in
      state.graph.standings.rename(index, to: handle)
      stream.append([.identity(handle)], of: account, at: now)
    }
  }

  /// Spreads alice's latest post far beyond the usual.
  private func sendRound() {
    let now = wall()
    let latest = posts.items(of: NamedAccount.alice.rawValue, before: now, limit: 1) { $0.kind != .repost }
    state { $0.viral.formUnion(latest) }
  }

  /// Removes the matching records of a collection.
  private func remove(
    _ collection: NSID, of did: DID, isStreamed: Bool = true, where passes: (StoredRecord) -> Bool
  ) {
    guard let account = network.index(of: did) else { return }
    let table = state { $0.repository(account).table(collection) }
    let keys = table.entries.filter { passes($0.record) }.map(\.key)
    let values = Dictionary(keys.map { ($0, DataValue?.none) }) { first, _ in first }
    if !values.isEmpty { _ = setRecords(values, in: collection, of: did, isStreamed: isStreamed) }
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
