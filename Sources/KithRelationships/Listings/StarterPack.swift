// SPDX-License-Identifier: Apache-2.0

package import KithClient
public import KithCore

/// A starter pack, as stored in its owner's repository.
///
/// Only its list is needed to use it. Of the other members, those are shown that can be read.
public struct StarterPack: Sendable, Hashable {
  /// The record's URI.
  public let uri: ATURI
  /// The name; nil if it is missing or not a text.
  public let name: String?
  /// The description; nil if it is missing or not a text.
  public let description: String?
  /// The list of recommended accounts. The record may name a list of any owner; see ``ownsList``.
  public let list: ATURI
  /// The creation date; nil if it is missing or not a date.
  public let createdAt: Datetime?

  /// The most accounts in a pack; the apps that create packs set this limit.
  public static let mostMembers = 150

  /// Whether the list belongs to the pack's owner, as in every pack created by an app.
  public var ownsList: Bool { list.authority == uri.authority && list.collection == .list }

  /// Reads the members of a record.
  ///
  /// - Throws: ``Fault`` if the record names no list.
  init(uri: ATURI, _ value: DataValue) throws(Fault) {
    guard let member = value["list"] else { throw Fault("\"list\" is missing") }
    guard let text = member.string else { throw Fault("\"list\" is not a text") }
    do throws(SyntaxError) { list = try ATURI(parsing: text) } catch { throw Fault("list: \(error)") }
    self.uri = uri
    name = value["name"]?.string
    description = value["description"]?.string
    createdAt = value["createdAt"]?.string.flatMap { Datetime($0) }
  }

  /// Why a record is not a starter pack.
  struct Fault: Error, CustomStringConvertible {
    /// A phrase that names the member of the record.
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// Reads a starter pack.
  ///
  /// - Parameter client: a client for the owner's PDS; it need not be signed in.
  /// - Returns: nil if the repository certainly has no such record.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package static func read(
    _ rkey: RecordKey, of owner: DID, client: XRPCClient
  ) async throws -> StarterPack? {
    let repository = RecordReader(of: owner, client: client)
    guard let found = try await repository.find(rkey, in: .starterpack, reading: ReadableRecord.self) else {
      return nil
    }
    let uri = ATURI(authority: .did(owner), collection: .starterpack, recordKey: rkey)
    do throws(Fault) { return try StarterPack(uri: uri, found.value.value) } catch {
      throw RepositoryError(
        .invalidResponse, detail: "\(uri) is not a valid starter pack: \(error)", underlying: error)
    }
  }
}

extension RecordReader {
  /// The starter packs of the repository.
  ///
  /// - Returns: each pack, or a record that names no list. Throws like ``records(_:)``.
  package func starterPacks() -> PagedSequence<Result<StarterPack, MalformedRecord>> {
    rows(in: .starterpack, reading: ReadableValue.self, mostPages: PaginationGuard.mostPagesOfLists) {
      [repository] in $0.starterPack(of: repository)
    }
  }
}

extension RecordPage.Row where Record == ReadableValue {
  fileprivate func starterPack(of repository: DID) -> Result<StarterPack, MalformedRecord> {
    let rkey = rkey(in: .starterpack, of: repository)
    func malformed(_ reason: String) -> Result<StarterPack, MalformedRecord> {
      .failure(
        MalformedRecord(
          uri: self.uri.shortened(toBytes: 256), rkey: rkey, value: self.content?.value, reason: reason))
    }
    guard let rkey else { return malformed("not a record of \(NSID.starterpack) in \(repository)") }
    guard let value = self.content?.value else { return malformed("the value is not valid") }
    let uri = ATURI(authority: .did(repository), collection: .starterpack, recordKey: rkey)
    do throws(StarterPack.Fault) { return .success(try StarterPack(uri: uri, value)) } catch {
      return malformed(error.description)
    }
  }
}
