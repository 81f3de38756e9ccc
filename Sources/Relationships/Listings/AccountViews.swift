// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// As much of a `profileView` of any kind as an ``AccountView`` holds. Words that break the lexicon are not learned; the
/// account is.
struct ProfileWords: Decodable, Sendable {
  let did: DID
  private let handle: Handle?
  private let displayName: String?
  private let description: String?
  private let createdAt: Datetime?
  private let counts: AccountView.Counts?

  private enum CodingKeys: CodingKey {
    case did, handle, displayName, description, createdAt, followersCount, followsCount, postsCount
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    did = try container.decode(DID.self, forKey: .did)
    handle = try? container.decode(Handle.self, forKey: .handle)
    displayName = try? container.decodeIfPresent(String.self, forKey: .displayName)
    description = try? container.decodeIfPresent(String.self, forKey: .description)
    createdAt = try? container.decodeIfPresent(Datetime.self, forKey: .createdAt)
    func count(_ key: CodingKeys) -> Int? { (try? container.decodeIfPresent(Int.self, forKey: key))?.asCount }
    let counts = AccountView.Counts(
      followers: count(.followersCount), follows: count(.followsCount), posts: count(.postsCount))
    self.counts = counts == AccountView.Counts() ? nil : counts
  }

  func view(record: ATURI? = nil) -> AccountView {
    AccountView(
      did, handle: handle, displayName: displayName, description: description, createdAt: createdAt,
      counts: counts, record: record)
  }
}

/// Looks up the names of accounts that are known by their DIDs, by the word of an AppView, 25 a call.
public struct AccountViews: Sendable {
  /// The most accounts of one call: `getProfiles.actors` in its lexicon.
  public static let batchSize = HandleResolver.batchSize

  private struct Profiles: Decodable { let profiles: [ProfileWords] }

  private let client: XRPCClient

  /// Asks an AppView.
  public init(client: XRPCClient) { self.client = client }

  /// What the AppView shows of any number of accounts: nil of one that it does not show (Q14). A call that fails is the
  /// outcome of its accounts.
  ///
  /// - Parameter concurrency: calls under way at once.
  /// - Throws: `CancellationError`.
  package func outcomes(
    of accounts: [DID], concurrency: Int = 8
  ) async throws -> [DID: Result<AccountView?, RelationshipError>] {
    let batches = accounts.parts(of: Self.batchSize)
    let found = try await batches.concurrentMap(atMost: concurrency) { batch in
      let outcome: Result<[DID: AccountView], RelationshipError>
      do { outcome = .success(try await views(of: batch)) } catch let error as RelationshipError {
        outcome = .failure(error)
      }
      return batch.map { account in (account, outcome.map { $0[account] }) }
    }
    return Dictionary(found.joined()) { first, _ in first }
  }

  /// Those whom the AppView shows (Q14), of up to ``batchSize``.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  public func views(of accounts: [DID]) async throws -> [DID: AccountView] {
    typealias Method = App.Bsky.Actor.GetProfiles
    do {
      let answer = try await client.query(
        Method.self, Method.Parameters(actors: accounts.map(ATIdentifier.did)), reading: Profiles.self)
      return Dictionary(answer.profiles.map { ($0.did, $0.view()) }) { first, _ in first }
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }
}
