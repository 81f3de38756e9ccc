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
  /// - Throws: as ``RecordReader/records(_:)``.
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
}

/// A list of the own repository.
public struct OwnList: Sendable, Hashable {
  /// Its address.
  public let uri: ATURI
  /// What its record says, as it stands; nil where that is no value of the data model.
  public let value: DataValue?

  /// Names a list and what its record says.
  public init(uri: ATURI, value: DataValue?) {
    self.uri = uri
    self.value = value
  }

  /// The address of a list of an account, be it there or not.
  public static func uri(_ rkey: RecordKey, of account: DID) -> ATURI {
    ATURI(authority: .did(account), collection: .list, recordKey: rkey)
  }

  /// Its name; nil where the record does not say.
  public var name: String? { value?["name"]?.string }
  /// What it is for; nil where the record does not say.
  public var purpose: ListPurpose? {
    value?["purpose"]?.string.map(ListPurpose.init(name:))
  }
  /// What it says about itself.
  public var description: String? { value?["description"]?.string }
  /// When it was made, by the word of whoever made it.
  public var createdAt: Datetime? { value?["createdAt"]?.string.flatMap { Datetime($0) } }
}
