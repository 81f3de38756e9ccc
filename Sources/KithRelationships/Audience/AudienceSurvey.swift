// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

/// A profile with its labels and verification state.
package struct AudienceProfile: Sendable, Hashable, Decodable {
  /// A label that a labeler has applied to the account.
  package struct Label: Sendable, Hashable {
    package let value: String
    /// The labeler's DID.
    package let labeler: DID
  }

  package let view: AccountView
  /// Active labels on the account itself; negated labels and labels on records are left out.
  package let labels: [Label]
  /// Whether the AppView shows the account as verified.
  package let isVerified: Bool
  /// Whether the AppView lets the account verify others.
  package let isTrustedVerifier: Bool

  private enum CodingKeys: CodingKey { case labels, verification }

  private struct LabelView: Decodable {
    let src: DID
    let uri: String
    let val: String
    let neg: Bool?
  }

  private struct Verification: Decodable {
    let verifiedStatus: String?
    let trustedVerifierStatus: String?
  }

  /// Decodes a `profileViewDetailed`. Fields that break the lexicon are ignored.
  package init(from decoder: any Decoder) throws {
    let words = try ProfileWords(from: decoder)
    view = words.view()
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let found = (try? container.decodeIfPresent([LabelView].self, forKey: .labels)) ?? []
    labels = found.filter { $0.neg != true && $0.uri == words.did.description }.map {
      Label(value: $0.val, labeler: $0.src)
    }
    let verification = try? container.decodeIfPresent(Verification.self, forKey: .verification)
    isVerified = verification?.verifiedStatus == "valid"
    isTrustedVerifier = verification?.trustedVerifierStatus == "valid"
  }
}

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

  /// Profiles with labels and verification, 25 per call; nil for an account that the AppView does not show
  /// (Q14).
  ///
  /// - Throws: `CancellationError`.
  package func profiles(
    of accounts: [DID]
  ) async throws -> [DID: Result<AudienceProfile?, RelationshipError>] {
    typealias Method = App.Bsky.Actor.GetProfiles
    struct Profiles: Decodable { let profiles: ReadableElements<AudienceProfile> }
    let batches = accounts.parts(of: AccountViews.batchSize)
    let found = try await batches.concurrentMap(atMost: Self.concurrency) { batch in
      var fault: RelationshipError?
      let outcome: Result<[DID: AudienceProfile], RelationshipError>
      do {
        let answer = try await listings.client.query(
          Method.self, Method.Parameters(actors: batch.map(ATIdentifier.did)), reading: Profiles.self)
        let found = answer.profiles
        fault = found.faults.first.map { .unreadableElements(Method.nsid, found.faults.count, first: $0) }
        outcome = .success(Dictionary(found.elements.map { ($0.view.account, $0) }) { first, _ in first })
      } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        outcome = .failure(fault)
      }
      return batch.map { account -> (DID, Result<AudienceProfile?, RelationshipError>) in
        let profile = outcome.map { $0[account] }
        // A profile that cannot be read may be that of any account without one.
        if let fault, case .success(nil) = profile { return (account, .failure(fault)) }
        return (account, profile)
      }
    }
    return Dictionary(found.joined()) { first, _ in first }
  }

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

  /// Who likes, reposts and quotes some posts, as far as the AppView lists them: one call per 100 reactions
  /// of a kind, none for a kind that the post does not have. No listing shows who replied.
  ///
  /// - Throws: `CancellationError`.
  package func reactions(to posts: [PostSummary]) async throws -> Reactions {
    let found = try await posts.concurrentMap(atMost: Self.concurrency) { post in
      var one = Reactions()
      do {
        if post.counts.likes > 0 { one.likes = try await counts(listings.likers(of: post.uri)) }
        if post.counts.reposts > 0 { one.reposts = try await counts(listings.reposters(of: post.uri)) }
        if post.counts.quotes > 0 { one.quotes = try await counts(listings.quoters(of: post.uri)) }
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

  private func counts(_ accounts: PagedSequence<DID>) async throws -> [DID: Int] {
    var counts: [DID: Int] = [:]
    for try await account in accounts.prefix(Self.mostReactions) { counts[account, default: 0] += 1 }
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
