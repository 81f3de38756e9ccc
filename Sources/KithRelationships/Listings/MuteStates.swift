// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

/// Asks the viewer's AppView how it mutes accounts, 25 per call.
package struct MuteStates: Sendable {
  private struct Profiles: Decodable {
    struct Profile: Decodable {
      let did: DID
      let viewer: MutingViewer?
    }

    let profiles: ReadableElements<Profile>
  }

  private let client: XRPCClient

  /// Creates a reader for a client that is signed in as the viewer.
  package init(client: XRPCClient) { self.client = client }

  private struct ListPage: Decodable {
    struct List: Decodable { let uri: ATURI }

    let lists: [List]
    let cursor: String?
  }

  /// Whether the viewer mutes any list; if so, the list of mutes is incomplete (Q9).
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  func hasMutedList() async throws -> Bool {
    typealias Method = App.Bsky.Graph.GetListMutes
    do {
      let page = try await client.query(Method.self, Method.Parameters(limit: 1), reading: ListPage.self)
      return !page.lists.isEmpty || page.cursor != nil
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }

  /// The mute of each account: nil if the AppView does not show the account (Q14) or does not return it. A
  /// failed call becomes the outcome of its accounts.
  ///
  /// - Throws: `CancellationError`.
  package func outcomes(of accounts: [DID]) async throws -> [DID: Result<MuteState?, RelationshipError>] {
    typealias Method = App.Bsky.Actor.GetProfiles
    let batches = accounts.parts(of: HandleResolver.batchSize)
    let found = try await batches.concurrentMap(atMost: 8) { batch in
      var fault: RelationshipError?
      let outcome: Result<[DID: MuteState?], RelationshipError>
      do {
        let answer = try await client.query(
          Method.self, Method.Parameters(actors: batch.map(ATIdentifier.did)), reading: Profiles.self)
        let states = answer.profiles.elements.map { ($0.did, $0.viewer.flatMap { MuteState($0) }) }
        fault = answer.profiles.faults.first.map {
          .unreadableElements(Method.nsid, answer.profiles.faults.count, first: $0)
        }
        outcome = .success(Dictionary(states) { first, _ in first })
      } catch let error as XRPCError {
        outcome = .failure(RelationshipError(error))
      }
      return batch.map { account -> (DID, Result<MuteState?, RelationshipError>) in
        // A profile that cannot be read may be that of any account without one.
        if let fault, case .success(let states) = outcome, states[account] == nil {
          return (account, .failure(fault))
        }
        return (account, outcome.map { $0[account] ?? nil })
      }
    }
    return Dictionary(found.joined()) { first, _ in first }
  }
}
