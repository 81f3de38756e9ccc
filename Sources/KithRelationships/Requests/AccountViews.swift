// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

/// The fields of a `profileView` of any kind that an ``AccountView`` holds. Fields that break the lexicon
/// are ignored.
package struct ProfileWords: Decodable, Sendable {
  package let did: DID
  private let handle: Handle?
  private let displayName: String?
  private let description: String?
  private let createdAt: Datetime?
  private let counts: AccountView.Counts?
  private let marks: AccountMarks
  private let relationship: ViewerRelationship?

  package init(from decoder: any Decoder) throws {
    let members = try JSONMembers(from: decoder)
    did = try members.did("did") ?? members.decode(DID.self, in: "did")
    handle = members.handle("handle")
    displayName = members.text("displayName")
    description = members.text("description")
    createdAt = members.datetime("createdAt")
    let counts = AccountView.Counts(
      followers: members.integer("followersCount")?.asCount,
      follows: members.integer("followsCount")?.asCount,
      posts: members.integer("postsCount")?.asCount)
    self.counts = counts == AccountView.Counts() ? nil : counts
    var labels: [LabelWords] = []
    _ = members.forEachElement(of: "labels") { _, decoder in
      if let label = try? LabelWords(from: decoder) { labels.append(label) }
    }
    let verification = members.members("verification")
    marks = AccountMarks(
      labels: Self.labels(labels, on: did), hasAvatar: members.contains("avatar"),
      isVerified: verification?.holds("valid", in: "verifiedStatus") == true,
      isTrustedVerifier: verification?.holds("valid", in: "trustedVerifierStatus") == true)
    // Without a session there is none, and to say so of each would take longer than the rest.
    relationship =
      members.contains("viewer") ? (try? members.decode(ViewerState.self, in: "viewer"))?.relationship : nil
  }

  /// The labels on an account and on its profile record; most accounts have none.
  private static func labels(_ labels: [LabelWords], on did: DID) -> [AccountMarks.Label] {
    if labels.isEmpty { return [] }
    let account = did.description
    let profile = "at://\(account)/\(App.Bsky.Actor.Profile.nsid)/self"
    return labels.compactMap { $0.label(on: account) ?? $0.label(on: profile, isOnProfile: true) }
  }

  /// `app.bsky.actor.defs#viewerState`. Only that its members are there matters, so their values may be anything.
  private struct ViewerState: Decodable {
    private struct Known: Decodable { let count: Int? }

    private enum CodingKeys: CodingKey {
      case muted, mutedOnlyReposts, mutedOnlyQuoteposts, blockedBy, blocking, blockingByList, following
      case followedBy, knownFollowers
    }

    let relationship: ViewerRelationship

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var relationship = ViewerRelationship(
        isBlocking: container.contains(.blocking) || container.contains(.blockingByList),
        isBlockedBy: try container.decodeIfPresent(Bool.self, forKey: .blockedBy) ?? false,
        isFollowing: container.contains(.following), isFollowedBy: container.contains(.followedBy),
        muted: try container.decodeIfPresent(Bool.self, forKey: .muted))
      for (key, scope) in [(CodingKeys.mutedOnlyReposts, MuteScope.reposts), (.mutedOnlyQuoteposts, .quotes)]
      where try container.decodeIfPresent(Bool.self, forKey: key) == true {
        relationship.partlyMuted.insert(scope)
      }
      relationship.knownFollowers =
        (try? container.decodeIfPresent(Known.self, forKey: .knownFollowers))?.count?.asCount
      self.relationship = relationship
    }
  }

  package func view(record: ATURI? = nil) -> AccountView {
    AccountView(
      shown: did, handle: handle, displayName: displayName, description: description, createdAt: createdAt,
      counts: counts, record: record, marks: marks, relationship: relationship)
  }
}

/// The fields of a `com.atproto.label.defs#label` that matter to readers.
package struct LabelWords: Decodable, Sendable {
  private let src: DID
  private let uri: String
  private let val: String
  private let neg: Bool?

  /// The label on a subject, which is a DID or the AT-URI of a record; nil for a label on something else, and for one
  /// that takes a label away.
  package func label(on subject: String, isOnProfile: Bool = false) -> AccountMarks.Label? {
    uri == subject && neg != true ? AccountMarks.Label(val, by: src, isOnProfile: isOnProfile) : nil
  }
}

/// Looks up names of accounts by DID in an AppView, 25 per call.
package struct AccountViews: Sendable {
  /// The most accounts per call: `getProfiles.actors` in its lexicon.
  package static let batchSize = HandleResolver.batchSize

  private struct Profiles: Decodable { let profiles: ReadableElements<ProfileWords> }

  private let client: XRPCClient

  /// Creates a lookup that uses an AppView's client.
  package init(client: XRPCClient) { self.client = client }

  /// The views of any number of accounts: nil for an account that the AppView does not show (Q14). A failed
  /// call becomes the outcome of its accounts.
  ///
  /// - Parameter concurrency: concurrent calls.
  /// - Throws: `CancellationError`.
  package func outcomes(
    of accounts: [DID], concurrency: Int = 8
  ) async throws -> [DID: Result<AccountView?, RelationshipError>] {
    let batches = accounts.parts(of: Self.batchSize)
    let found = try await batches.concurrentMap(atMost: concurrency) { batch in
      let outcome: Result<Answer, RelationshipError>
      do { outcome = .success(try await answer(about: batch)) } catch let error as RelationshipError {
        outcome = .failure(error)
      }
      return batch.map { account in (account, outcome.flatMap { $0.outcome(of: account) }) }
    }
    return Dictionary(found.joined()) { first, _ in first }
  }

  /// The views of up to ``batchSize`` accounts, without those that the AppView does not show (Q14).
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  package func views(of accounts: [DID]) async throws -> [DID: AccountView] {
    let answer = try await answer(about: accounts)
    if let fault = answer.fault, accounts.contains(where: { answer.views[$0] == nil }) { throw fault }
    return answer.views
  }

  private struct Answer {
    let views: [DID: AccountView]
    /// What is wrong with profiles that cannot be read; any account without a view may be theirs.
    let fault: RelationshipError?

    func outcome(of account: DID) -> Result<AccountView?, RelationshipError> {
      if let view = views[account] { return .success(view) }
      return fault.map { .failure($0) } ?? .success(nil)
    }
  }

  private func answer(about accounts: [DID]) async throws -> Answer {
    typealias Method = App.Bsky.Actor.GetProfiles
    do {
      let answer = try await client.query(
        Method.self, Method.Parameters(actors: accounts.map(ATIdentifier.did)), reading: Profiles.self)
      let profiles = answer.profiles
      return Answer(
        views: Dictionary(profiles.elements.map { ($0.did, $0.view()) }) { first, _ in first },
        fault: profiles.faults.first.map {
          .unreadableElements(Method.nsid, profiles.faults.count, first: $0)
        })
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }
}
