// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

/// What a detailed profile says besides names and counts (lexicon `app.bsky.actor.defs#profileViewDetailed`). All texts are
/// untrusted; fields that break the lexicon are ignored.
package struct ProfileCard: Sendable {
  /// The account, with its counts, labels, verification and relationship.
  package let view: AccountView
  package let pronouns: String?
  /// The address that the profile names.
  package let website: String?
  /// The URLs of its pictures.
  package let avatar: String?
  package let banner: String?
  /// The first of the accounts that the viewer follows and that follow it, as the AppView picks them.
  package let knownFollowers: [AccountView]
}

extension ProfileCard: Decodable {
  private enum CodingKeys: CodingKey { case pronouns, website, avatar, banner, viewer }

  private struct ViewerState: Decodable {
    struct Known: Decodable { let followers: ReadableElements<ProfileWords> }

    let knownFollowers: Known?
  }

  package init(from decoder: any Decoder) throws {
    view = try ProfileWords(from: decoder).view()
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) -> String? { try? container.decodeIfPresent(String.self, forKey: key) }
    (pronouns, website, avatar, banner) = (text(.pronouns), text(.website), text(.avatar), text(.banner))
    let viewer = try? container.decodeIfPresent(ViewerState.self, forKey: .viewer)
    knownFollowers = viewer?.knownFollowers?.followers.elements.map { $0.view() } ?? []
  }
}

extension Listings {
  /// The profile of an account as the AppView shows it to the viewer; nil if it does not show the account.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  package func card(of account: DID) async throws -> ProfileCard? {
    typealias Method = App.Bsky.Actor.GetProfile
    do {
      let card = try await client.query(
        Method.self, Method.Parameters(actor: .did(account)), reading: ProfileCard.self)
      guard card.view.account == account else {
        throw RelationshipError.invalidResponse(
          Method.nsid, path: "did", "\(card.view.account) instead of \(account)")
      }
      return card
    } catch let error as XRPCError where error.saysNotFound || error.saysHidden {
      return nil
    } catch {
      throw RelationshipError.wrapping(error) ?? error
    }
  }
}
