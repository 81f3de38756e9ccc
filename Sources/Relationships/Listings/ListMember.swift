// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

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

extension RecordReader {
  /// Who is on a list of the repository: whole, at once after a change, duplicates included (Q16).
  ///
  /// The records of all lists stand in one collection, so that it takes a call for every 100 of them.
  /// - Returns: each member, or a record of which only the list can be read. Throws as ``records(_:)``.
  public func members(
    of list: ATURI
  ) -> some AsyncSequence<Result<ListMember, MalformedRecord>, any Error> & Sendable {
    let repository = repository
    return records(App.Bsky.Graph.Listitem.self).compactMap { row in
      switch row {
      case .record(let rkey, let record) where record.list == list:
        let item = ATURI(authority: .did(repository), collection: .listitem, recordKey: rkey)
        return .success(ListMember(account: record.subject, item: item, since: record.createdAt))
      case .malformed(let record) where record.value?["list"]?.string == list.description:
        return .failure(record)
      case .record, .malformed: return nil
      }
    }
  }
}

/// The handles of accounts that are known by their DIDs, by the word of an AppView, 25 a call.
public struct MemberNames: Sendable {
  /// The most accounts of one call: `getProfiles.actors` in its lexicon.
  public static let batchSize = HandleResolver.batchSize

  private let client: XRPCClient

  /// Asks an AppView.
  public init(client: XRPCClient) { self.client = client }

  /// The handles of those whom the AppView shows (Q14), of up to ``batchSize``.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  public func handles(of accounts: [DID]) async throws -> [DID: Handle] {
    typealias Method = App.Bsky.Actor.GetProfiles
    do {
      let answer = try await client.query(
        Method.self, Method.Parameters(actors: accounts.map(ATIdentifier.did)), reading: ProfileNames.self)
      return Dictionary(answer.profiles.map { ($0.did, $0.handle) }) { first, _ in first }
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }
}
