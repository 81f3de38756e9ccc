// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

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
