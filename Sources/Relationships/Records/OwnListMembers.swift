// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// Who is on a list, as the repository of its owner holds it: whole, at once after a change, duplicates included
/// (Q16).
///
/// The records of all lists stand in one collection, so that it takes a call for every 100 of them. Throws as
/// ``RecordListing``.
public struct OwnListMembers: AsyncSequence, Sendable {
  /// A member, or a record of which only the list can be read.
  public typealias Element = Result<ListMember, MalformedRecord>
  public typealias Failure = any Error

  private let list: ATURI
  private let owner: DID
  private let listing: RecordListing<App.Bsky.Graph.Listitem>

  /// Lists by the client's service, the PDS of the owner. Nothing is asked yet.
  public init(of list: ATURI, owner: DID, client: XRPCClient) {
    self.list = list
    self.owner = owner
    listing = RecordListing(of: owner, client: client)
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(list: list, owner: owner, rows: listing.makeAsyncIterator())
  }

  /// Reads on through the records of other lists.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let list: ATURI
    private let owner: DID
    private var rows: RecordListing<App.Bsky.Graph.Listitem>.AsyncIterator

    init(list: ATURI, owner: DID, rows: RecordListing<App.Bsky.Graph.Listitem>.AsyncIterator) {
      self.list = list
      self.owner = owner
      self.rows = rows
    }

    public mutating func next() async throws -> Element? {
      while let row = try await rows.next() {
        switch row {
        case .record(let rkey, let record) where record.list == list:
          let item = ATURI(authority: .did(owner), collection: .listitem, recordKey: rkey)
          return .success(ListMember(account: record.subject, item: item, since: record.createdAt))
        case .malformed(let record) where record.value?["list"]?.string == list.description:
          return .failure(record)
        case .record, .malformed: continue
        }
      }
      return nil
    }
  }
}

extension MalformedRecord: Error {}

/// An account on a list.
public struct ListMember: Sendable, Hashable {
  /// Who it is.
  public let account: DID
  /// Its handle, where it was learned; `handle.invalid` where it is broken.
  public let handle: Handle?
  /// The record that puts it on the list.
  public let item: ATURI
  /// When it came onto the list, by the word of whoever put it there; nil where that was not learned.
  public let since: Datetime?

  /// Puts together who is on a list, and by which record.
  public init(account: DID, handle: Handle? = nil, item: ATURI, since: Datetime? = nil) {
    self.account = account
    self.handle = handle
    self.item = item
    self.since = since
  }
}
