// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

extension XRPCClient {
  /// How many posts a call asks about: `uris` in the lexicon of `app.bsky.feed.getPosts`.
  package static let postsPerCall = 25

  /// Looks up posts, 25 per call, and decodes a part of each, in no certain order. Those that the AppView does not show are
  /// left out.
  ///
  /// - Throws: `RelationshipError`, also for a post that is unreadable; `CancellationError`.
  package func posts<Part: Decodable>(
    _ uris: some Sequence<ATURI>, reading part: Part.Type
  ) async throws -> [Part] {
    typealias Method = App.Bsky.Feed.GetPosts
    var found: [Part] = []
    for batch in Set(uris).sorted(by: { "\($0)" < "\($1)" }).parts(of: Self.postsPerCall) {
      do {
        let posts = try await query(Method.self, Method.Parameters(uris: batch), reading: Posts<Part>.self)
          .posts
        if let fault = posts.faults.first {
          throw RelationshipError.unreadableElements(Method.nsid, posts.faults.count, first: fault)
        }
        found += posts.elements
      } catch {
        throw RelationshipError.wrapping(error) ?? error
      }
    }
    return found
  }
}

/// The answer with what can be read of it.
private struct Posts<Part: Decodable>: Decodable { let posts: ReadableElements<Part> }
