// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

extension Listings {
  private typealias Actor = App.Bsky.Actor

  /// Accounts that match a text in handle, name or description, the best first.
  ///
  /// If the viewer is signed in, the AppView leaves out accounts with a block in either direction without a count, and ranks
  /// accounts that the viewer follows higher. Pages may miss some.
  package func search(_ text: String, most: Int? = nil) -> PagedSequence<AccountView> {
    sequence(
      of: Actor.SearchActors.self, reading: AccountPage<ActorsField>.self, most: most,
      orElse: .invalidResponse(Actor.SearchActors.nsid, path: "q", "not found")
    ) { Actor.SearchActors.Parameters(q: text, limit: $1, cursor: $0) }
  }

  /// Accounts whose handle or name begins with a text. Shows an account with exactly this handle despite a block.
  ///
  /// - Parameter most: at most 100.
  /// - Throws: ``RelationshipError``, `CancellationError`.
  package func typeahead(_ text: String, most: Int) async throws -> [AccountView] {
    typealias Method = Actor.SearchActorsTypeahead
    do {
      return try await client.query(
        Method.self, Method.Parameters(q: text, limit: most), reading: AccountPage<ActorsField>.self
      ).rows.map(\.element)
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }

  /// The accounts that the AppView suggests; signed out the same ones for everybody, in changing order.
  package func suggestions(most: Int? = nil) -> PagedSequence<AccountView> {
    sequence(
      of: Actor.GetSuggestions.self, reading: AccountPage<ActorsField>.self, most: most,
      orElse: .invalidResponse(Actor.GetSuggestions.nsid, path: "", "not found")
    ) { Actor.GetSuggestions.Parameters(limit: $1, cursor: $0) }
  }

  /// The accounts that the AppView calls similar to an actor; none if it has no recommender.
  ///
  /// - Throws: ``RelationshipError`` `actorNotFound`; others, `CancellationError`.
  package func similar(to actor: ATIdentifier) async throws -> [AccountView] {
    typealias Method = App.Bsky.Graph.GetSuggestedFollowsByActor
    do {
      return try await client.query(
        Method.self, Method.Parameters(actor: actor), reading: AccountPage<SuggestionsField>.self
      ).rows.map(\.element)
    } catch let error as XRPCError {
      throw error.saysNotFound ? .actorNotFound(actor) : RelationshipError(error)
    }
  }
}
