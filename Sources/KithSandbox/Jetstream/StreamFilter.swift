// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Which events a reader of an ``EventStream`` gets.
struct StreamFilter: Sendable, Hashable {
  /// Why a filter is refused.
  struct Fault: Error, Hashable {
    let words: String
  }

  private static let mostCollections = 100
  private static let mostDIDs = 10_000
  private static let kinds: Set<String> = ["commit", "identity", "account", "sync"]

  /// Nil for all; so are those below.
  private var kinds: Set<String>?
  private var dids: Set<String>?
  /// The names, and the beginnings of names.
  private var collections: Set<String>?
  private var beginnings: [String] = []
  /// The longest frame in bytes; 0 for any.
  let mostBytes: Int

  /// The filter of the older wire. Names that are there twice count once.
  init(wantedCollections: [String], wantedDIDs: [String], mostBytes: Int) throws(Fault) {
    let collections = Set(wantedCollections)
    guard collections.count <= Self.mostCollections else {
      throw Fault(words: "too many wanted collections: \(collections.count) > \(Self.mostCollections)")
    }
    let dids = Set(wantedDIDs)
    guard dids.count <= Self.mostDIDs else {
      throw Fault(words: "too many wanted DIDs: \(dids.count) > \(Self.mostDIDs)")
    }
    self.mostBytes = max(0, mostBytes)
    try set(collections: wantedCollections, dids: wantedDIDs)
  }

  /// The filter of a query of `/subscribe`.
  init(older query: [XRPCQueryItem]) throws(Fault) {
    try self.init(
      wantedCollections: query.values("wantedCollections"), wantedDIDs: query.values("wantedDids"),
      mostBytes: query.number("maxMessageSizeBytes"))
  }

  /// The filter of a query of `subscribeEvents`.
  init(_ query: [XRPCQueryItem]) throws(Fault) {
    for (name, instead) in [
      ("wantedDids", "use dids"), ("wantedCollections", "use collections"),
      ("requireHello", "clients send nothing here"),
    ] where !query.values(name).isEmpty {
      throw Fault(words: "\(name) is a parameter of /subscribe; \(instead)")
    }
    let (kinds, dids, collections) = (
      query.values("kinds"), query.values("dids"), query.values("collections")
    )
    for (values, most, name) in [
      (kinds, Self.kinds.count, "kinds"), (dids, Self.mostDIDs, "dids"),
      (collections, Self.mostCollections, "collections"),
    ] where values.count > most {
      throw Fault(words: "too many \(name) values: \(values.count) > \(most)")
    }
    if let unknown = kinds.first(where: { !Self.kinds.contains($0) }) {
      throw Fault(words: "unknown kind \(unknown.debugDescription)")
    }
    if let wrong = collections.first(where: { $0.hasSuffix(".*") && NSID($0.dropLast() + "x") == nil }) {
      throw Fault(words: "invalid collection wildcard: \(wrong)")
    }
    mostBytes = query.number("maxMessageSizeBytes")
    try set(collections: collections, dids: dids)
    if !kinds.isEmpty {
      self.kinds = Set(kinds)
      guard collections.isEmpty || kinds.contains("commit") else {
        throw Fault(words: "collections filter can never apply: kinds excludes commit")
      }
    }
  }

  private mutating func set(collections: [String], dids: [String]) throws(Fault) {
    if let wrong = dids.first(where: { DID($0) == nil }) { throw Fault(words: "invalid did: \(wrong)") }
    if !dids.isEmpty { self.dids = Set(dids) }
    guard !collections.isEmpty else { return }
    beginnings = collections.filter { $0.hasSuffix(".*") }.map { String($0.dropLast()) }
    let names = collections.filter { !$0.hasSuffix(".*") }
    if let wrong = names.first(where: { NSID($0) == nil }) {
      throw Fault(words: "invalid collection: \(wrong)")
    }
    self.collections = Set(names)
  }

  /// Whether the reader gets an event, if its frame is short enough. Collections only concern commits.
  func wants(_ event: StreamEvent) -> Bool {
    if let kinds, !kinds.contains(event.name) { return false }
    if let dids, !dids.contains(event.did.description) { return false }
    guard let collections, case .commit(let change, _, _) = event.kind else { return true }
    let name = change.collection.description
    return collections.contains(name) || beginnings.contains { name.hasPrefix($0) }
  }

  /// Whether a frame is short enough.
  func admits(_ frame: String) -> Bool { mostBytes == 0 || frame.utf8.count <= mostBytes }
}

extension [XRPCQueryItem] {
  func values(_ name: String) -> [String] { filter { $0.name == name }.map(\.value) }

  /// A number that is not negative; 0 for anything else.
  fileprivate func number(_ name: String) -> Int {
    values(name).first.flatMap { UInt32($0) }.map(Int.init) ?? 0
  }
}
