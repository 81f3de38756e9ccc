// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
internal import KithLexicons
internal import KithRelationships

/// Looks up posts as an AppView shows them to a viewer.
public struct PostViews: Sendable {
  /// How many posts a call asks about.
  public static let postsPerCall = XRPCClient.postsPerCall

  private let client: XRPCClient

  /// Creates a reader.
  ///
  /// - Parameter client: for the AppView; through the viewer's server, the posts say what the viewer has done with them.
  public init(client: XRPCClient) { self.client = client }

  /// Looks up posts, 25 per call. Those that are deleted, that do not exist, and those of accounts with a block in either
  /// direction are left out.
  ///
  /// - Throws: `RelationshipError`, `CancellationError`.
  public func posts(_ uris: some Sequence<ATURI>) async throws -> [ATURI: Post] {
    let found = try await client.posts(uris, reading: Post.self)
    return Dictionary(found.map { ($0.uri, $0) }) { _, last in last }
  }
}

extension PostAudience {
  /// Reads who may answer and quote the posts of an account, unless a post says otherwise: what the account has set for all of
  /// them, in every app.
  ///
  /// - Parameter client: a signed-in client for the account's own server, which keeps it.
  /// - Throws: `RelationshipError`, also for a setting that is unreadable, because that is not the same as none;
  ///   `CancellationError`.
  public static func usual(asking client: XRPCClient) async throws -> PostAudience {
    typealias Method = App.Bsky.Actor.GetPreferences
    // Those of other apps may be anything; a part of the wanted one that cannot be read makes it unknown.
    struct Preferences: Decodable { let preferences: ReadableElements<ReadableValue> }
    do {
      let answer = try await client.query(Method.self, Method.Parameters(), reading: Preferences.self)
      let preferences = answer.preferences.elements
      guard preferences.allSatisfy({ $0.isWhole || $0.value.type != PostAudience.preference }),
        let audience = PostAudience(preferences: preferences.map(\.value))
      else {
        throw RelationshipError.invalidResponse(
          Method.nsid, path: "preferences", "who may answer and quote posts cannot be read")
      }
      return audience
    } catch {
      throw RelationshipError.wrapping(error) ?? error
    }
  }
}
