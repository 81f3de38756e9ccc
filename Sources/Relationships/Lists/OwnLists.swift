// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// The lists of the own repository, as it holds them and not as an AppView has indexed them.
public struct OwnLists: Sendable {
  /// The lists, in the order of the server.
  public private(set) var all: [OwnList] = []
  private var positions: [ATURI: Int] = [:]
  /// Records that cannot be told to be lists of this repository.
  public private(set) var unreadable = MalformedRecords()

  /// No lists.
  public init() {}

  /// Lists the collection: a call for every 100 lists, and at most servers one more.
  ///
  /// - Throws: as ``RecordListing``.
  public init(of repository: DID, client: XRPCClient) async throws {
    for try await row in RecordListing(App.Bsky.Graph.List.self, of: repository, client: client) {
      switch row {
      case .record(let rkey, let record):
        insert(OwnList(uri: OwnList.uri(rkey, of: repository), value: try? DataValue(encoding: record)))
      case .malformed(let record):
        guard let rkey = record.rkey else {
          unreadable.append(record)
          continue
        }
        insert(OwnList(uri: OwnList.uri(rkey, of: repository), value: record.value))
      }
    }
  }

  /// Takes a list in, in place of what was known of it.
  public mutating func insert(_ list: OwnList) {
    if let position = positions[list.uri] {
      all[position] = list
    } else {
      positions[list.uri] = all.count
      all.append(list)
    }
  }

  /// The list of an address.
  public subscript(uri: ATURI) -> OwnList? { positions[uri].map { all[$0] } }

  /// The lists of a name, letter by letter.
  public func named(_ name: String) -> [OwnList] { all.filter { $0.name == name } }

  /// What is known of the list that a change is about, and of others that have the name that it is to have.
  func about(_ change: ListChange) -> [OwnList] {
    let name: String? =
      switch change {
      case .create(_, let draft): draft.name
      case .edit(_, let edit): edit.name
      case .delete, .add, .remove: nil
      }
    return (self[change.list].map { [$0] } ?? [])
      + (name.map { named($0).filter { $0.uri != change.list } } ?? [])
  }
}
