// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

/// Queries accounts of an audience in batches. A failed call becomes the outcome of the accounts it covers.
package struct AudienceSurvey: Sendable {
  /// How often each account has reacted to some posts.
  package struct Reactions: Sendable {
    package var likes: [DID: Int] = [:]
    package var reposts: [DID: Int] = [:]
    package var quotes: [DID: Int] = [:]
    /// Number of posts whose reactions were read completely.
    package var posts = 0
    /// The first error for the remaining posts; nil if nothing failed.
    package var fault: RelationshipError?

    /// Creates an empty result.
    package init() {}
  }

  /// Concurrent calls.
  private static let concurrency = 8
  /// Most accounts read per kind of reaction to a post: ten pages.
  private static let mostReactions = 1_000

  private let listings: Listings

  /// Creates a survey that uses these listings.
  package init(_ listings: Listings) { self.listings = listings }

  /// When each account's repository last changed, according to its own server: one DID document and one
  /// call per account. Nil if there is no repository, or if the server's revisions are not timestamps.
  ///
  /// - Throws: `CancellationError`.
  package func lastChanges(
    of accounts: [DID]
  ) async throws -> [DID: Result<Datetime?, RelationshipError>] {
    guard let repository = listings.repository else {
      return Dictionary(accounts.map { ($0, .failure(.clientNotConfigured)) }) { first, _ in first }
    }
    return try await AccountActivity(
      repository: repository, identities: listings.identities, time: listings.client.time
    ).lastChanges(of: accounts)
  }

  /// The latest posts of each account, one call per account; empty for an account that the AppView does not
  /// show.
  ///
  /// - Parameter most: posts per account, at most 100.
  /// - Throws: `CancellationError`.
  package func latestPosts(
    of accounts: [DID], most: Int
  ) async throws -> [DID: Result<[PostSummary], RelationshipError>] {
    let found = try await accounts.concurrentMap(atMost: Self.concurrency) { account in
      let outcome: Result<[PostSummary], RelationshipError>
      do {
        var pages = listings.posts(of: .did(account), most: most).makeAsyncIterator()
        outcome = .success(try await pages.nextPage() ?? [])
      } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        outcome = .failure(fault)
      }
      return (account, outcome)
    }
    return Dictionary(found) { first, _ in first }
  }

  /// The accounts that like, repost and quote some posts and that the AppView lists: one call per 100 reactions
  /// of a kind, none for a kind that the post does not have. No listing shows who replied.
  ///
  /// - Throws: `CancellationError`.
  package func reactions(to posts: [PostSummary]) async throws -> Reactions {
    let found = try await posts.concurrentMap(atMost: Self.concurrency) { post in
      var one = Reactions()
      do {
        if post.counts.likes != 0 { one.likes = try await counts(listings.reactions(.likes, to: post.uri)) }
        if post.counts.reposts != 0 {
          one.reposts = try await counts(listings.reactions(.reposts, to: post.uri))
        }
        if post.counts.quotes != 0 {
          one.quotes = try await counts(listings.reactions(.quotes, to: post.uri))
        }
        one.posts = 1
      } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        one = Reactions()
        one.fault = fault
      }
      return one
    }
    return found.reduce(into: Reactions()) { all, one in
      all.likes.merge(one.likes, uniquingKeysWith: +)
      all.reposts.merge(one.reposts, uniquingKeysWith: +)
      all.quotes.merge(one.quotes, uniquingKeysWith: +)
      all.posts += one.posts
      all.fault = all.fault ?? one.fault
    }
  }

  private func counts(_ accounts: PagedSequence<AccountView>) async throws -> [DID: Int] {
    var counts: [DID: Int] = [:]
    for try await view in accounts.prefix(Self.mostReactions) { counts[view.account, default: 0] += 1 }
    return counts
  }

  /// How many of some accounts follow an actor, and for how many the answer is known: one call per 30 of them.
  ///
  /// - Throws: `CancellationError`.
  package func followers(among accounts: [DID], of actor: DID) async throws -> (count: Int, asked: Int) {
    try await followers(among: accounts, of: [actor])[actor] ?? (0, 0)
  }

  /// How many accounts of a sample follow each candidate, and for how many the answer is known: one call
  /// per 30 accounts of the sample, for each candidate.
  ///
  /// - Throws: `CancellationError`.
  package func followers(
    among sample: [DID], of candidates: [DID]
  ) async throws -> [DID: (count: Int, asked: Int)] {
    let relationships = listings.freshRelationships
    var found: [DID: (count: Int, asked: Int)] = [:]
    for candidate in candidates {
      var (count, asked) = (0, 0)
      for try await answer in relationships.relationships(of: candidate, with: sample) {
        guard case .known(let info) = answer.state else { continue }
        asked += 1
        if info.isFollowedBy { count += 1 }
      }
      found[candidate] = (count, asked)
    }
    return found
  }
}
