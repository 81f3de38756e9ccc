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

  private enum CodingKeys: CodingKey { case did, handle, displayName, description }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    did = try container.decode(DID.self, forKey: .did)
    handle = try? container.decode(Handle.self, forKey: .handle)
    displayName = try? container.decodeIfPresent(String.self, forKey: .displayName)
    description = try? container.decodeIfPresent(String.self, forKey: .description)
  }

  func view(record: ATURI? = nil) -> AccountView {
    AccountView(did, handle: handle, displayName: displayName, description: description, record: record)
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
