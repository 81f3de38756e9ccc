// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

/// Reads the number of entries of listings from an AppView's counts: one call per 25 profiles, and one per
/// list.
package struct NetworkCounts: Sendable {
  private let client: XRPCClient

  /// Creates a reader that uses an AppView's client.
  package init(client: XRPCClient) { self.client = client }

  /// The counts of a profile.
  struct Profile: Decodable {
    let did: DID
    let handle: Handle
    let followsCount: Int?
    let followersCount: Int?
    /// Whether there is a count of follows that cannot be read.
    let hasOddFollowsCount: Bool

    private enum CodingKeys: CodingKey { case did, handle, followsCount, followersCount }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      did = try container.decode(DID.self, forKey: .did)
      handle = container.decodeIfReadable(Handle.self, forKey: .handle) ?? .invalid
      followsCount = container.decodeIfReadable(Int.self, forKey: .followsCount)
      followersCount = container.decodeIfReadable(Int.self, forKey: .followersCount)
      hasOddFollowsCount = followsCount == nil && container.contains(.followsCount)
    }
  }

  private struct Profiles: Decodable { let profiles: ReadableElements<Profile> }

  private struct ListPage: Decodable {
    struct List: Decodable { let listItemCount: IfReadable<Int>? }

    let list: List
  }

  /// More than there are accounts. Bounds the numbers of a hostile AppView, as costs are computed from
  /// them.
  package static let mostEntries = 1_000_000_000

  /// The number of entries of each listing, in order, at most a billion; nil if the AppView does not return
  /// it.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  package func entries(of listings: [ActorListing]) async throws -> [Int?] {
    do {
      var profiles: [ATIdentifier: Profile] = [:]
      var actors: [ATIdentifier] = []
      for listing in listings {
        switch listing {
        case .follows(let actor), .followers(let actor): if !actors.contains(actor) { actors.append(actor) }
        case .members, .blocks, .mutes, .blockers, .graph, .reactions: break
        }
      }
      for batch in actors.parts(of: HandleResolver.batchSize) {
        for profile in try await self.profiles(of: batch) {
          profiles[.did(profile.did)] = profile
          profiles[.handle(profile.handle)] = profile
        }
      }
      var counts: [Int?] = []
      for listing in listings {
        switch listing {
        case .follows(let actor): counts.append(profiles[actor]?.followsCount)
        case .followers(let actor): counts.append(profiles[actor]?.followersCount)
        case .members(let list):
          do { counts.append(try await members(of: list)) } catch let error as RelationshipError
            where error.code == .listNotFound
          { counts.append(nil) }
        case .reactions(let reaction, let post): counts.append(try await count(of: reaction, to: post))
        // No server counts them.
        case .blocks, .mutes, .blockers, .graph: counts.append(nil)
        }
      }
      return counts.map { $0.map { min($0.asCount, Self.mostEntries) } }
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }

  /// How many reactions to a post the AppView counts; nil if it does not say.
  ///
  /// - Throws: ``RelationshipError`` `postNotFound` if it does not show the post; others, `CancellationError`.
  func count(of reaction: PostReaction, to post: ATURI) async throws -> Int? {
    struct Post: Decodable {
      let likeCount: IfReadable<Int>?
      let repostCount: IfReadable<Int>?
      let quoteCount: IfReadable<Int>?
      let replyCount: IfReadable<Int>?
    }
    guard let found = try await client.posts([post], reading: Post.self).first else {
      throw RelationshipError.postNotFound(post)
    }
    let count =
      switch reaction {
      case .likes: found.likeCount
      case .reposts: found.repostCount
      case .quotes: found.quoteCount
      case .replies: found.replyCount
      }
    return count?.value?.asCount
  }

  /// The counts of an actor's profile; nil if the AppView does not show it.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  func profile(of actor: ATIdentifier) async throws -> Profile? {
    do {
      return try await profiles(of: [actor]).first
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }

  private func profiles(of actors: [ATIdentifier]) async throws -> [Profile] {
    typealias Method = App.Bsky.Actor.GetProfiles
    return try await client.query(
      Method.self, Method.Parameters(actors: actors), reading: Profiles.self
    ).profiles.elements
  }

  /// How many members the AppView counts in a list; nil if it does not say.
  ///
  /// - Throws: ``RelationshipError`` `listNotFound` if it does not show the list; others, `CancellationError`.
  package func members(of list: ATURI) async throws -> Int? {
    typealias Method = App.Bsky.Graph.GetList
    do {
      let page = try await client.query(
        Method.self, Method.Parameters(list: list, limit: 1), reading: ListPage.self)
      return page.list.listItemCount?.value?.asCount
    } catch let error as XRPCError {
      throw error.saysNotFound ? RelationshipError.listNotFound(list) : RelationshipError(error)
    }
  }
}
