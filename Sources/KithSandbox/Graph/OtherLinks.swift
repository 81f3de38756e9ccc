// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The records of other apps by the subject that they point to, as a backlink index knows them.
struct OtherLinks: Sendable {
  struct Link: Sendable, Hashable {
    let account: Int
    let collection: NSID
    let key: RecordKey
  }

  /// By source, such as `sh.tangled.graph.follow:subject`, and subject.
  private var links: [String: [String: Set<Link>]] = [:]

  init(_ network: SandboxNetwork) {
    for account in 0..<min(NamedAccount.allCases.count + network.configuration.requests, network.dids.count) {
      for (collection, entries) in OtherApps.records(of: account, in: network) {
        for entry in entries {
          let link = Link(account: account, collection: collection, key: entry.key)
          insert(link, network.content(of: entry.record).value)
        }
      }
    }
  }

  /// The records that point to a subject, newest key first.
  func links(from source: String, to subject: String) -> [Link] {
    (links[source]?[subject] ?? []).sorted {
      ($0.key.description, $0.account) > ($1.key.description, $1.account)
    }
  }

  mutating func apply(_ change: RecordChange) {
    let link = Link(account: change.account, collection: change.collection, key: change.key)
    if let subject = change.former?["subject"]?.string {
      links[source(change.collection)]?[subject]?.remove(link)
    }
    if let value = change.written?.value { insert(link, value) }
  }

  /// Loses the records of an account in a collection, as an index does that does not reach its server.
  mutating func forget(_ account: Int, in collection: NSID) {
    links[source(collection)] = links[source(collection)]?.mapValues { $0.filter { $0.account != account } }
  }

  private mutating func insert(_ link: Link, _ value: DataValue) {
    guard let subject = value["subject"]?.string else { return }
    links[source(link.collection), default: [:]][subject, default: []].insert(link)
  }

  private func source(_ collection: NSID) -> String { "\(collection):subject" }
}
