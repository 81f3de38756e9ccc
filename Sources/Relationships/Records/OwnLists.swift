// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// The lists in the account's own repository, not as indexed by an AppView.
public struct OwnLists: Sendable {
  /// The lists, in the order of the server.
  public private(set) var all: [OwnList] = []
  private var positions: [ATURI: Int] = [:]
  /// Records that cannot be identified as lists of this repository.
  public private(set) var unreadable = MalformedRecords()

  /// Creates an empty collection.
  public init() {}

  /// Reads the collection: one call per 100 lists, and one more on most servers.
  ///
  /// - Throws: like ``RecordReader/records(_:)``.
  public init(of repository: DID, client: XRPCClient) async throws {
    for try await row in RecordReader(of: repository, client: client).records(
      App.Bsky.Graph.List.self, mostPages: PaginationGuard.mostPagesOfLists)
    {
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

  /// Adds a list, or replaces it.
  public mutating func insert(_ list: OwnList) {
    if let position = positions[list.uri] {
      all[position] = list
    } else {
      positions[list.uri] = all.count
      all.append(list)
    }
  }

  /// The list with a URI.
  public subscript(uri: ATURI) -> OwnList? { positions[uri].map { all[$0] } }

  /// The lists with exactly this name.
  public func named(_ name: String) -> [OwnList] { all.filter { $0.name == name } }
}

/// A list in the account's own repository.
public struct OwnList: Sendable, Hashable {
  /// The list's URI.
  public let uri: ATURI
  /// The record's value, unchanged; nil if it is not valid in the data model.
  public let value: DataValue?

  /// Creates a list.
  public init(uri: ATURI, value: DataValue?) {
    self.uri = uri
    self.value = value
  }

  /// The URI of an account's list, whether it exists or not.
  public static func uri(_ rkey: RecordKey, of account: DID) -> ATURI {
    ATURI(authority: .did(account), collection: .list, recordKey: rkey)
  }

  /// The name; nil if the record has none.
  public var name: String? { value?["name"]?.string }
  /// The purpose; nil if the record has none.
  public var purpose: ListPurpose? {
    value?["purpose"]?.string.map(ListPurpose.init(name:))
  }
  /// The description.
  public var description: String? { value?["description"]?.string }
  /// The creation date claimed by the author.
  public var createdAt: Datetime? { value?["createdAt"]?.string.flatMap { Datetime($0) } }
}
