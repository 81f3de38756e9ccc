// SPDX-License-Identifier: Apache-2.0

package import KithCore

@testable package import KithSandbox

extension FaultyNetwork {
  /// What a test asks for is not in the network.
  private struct Missing: Error { let name: String }

  /// Lets a day pass.
  ///
  /// - Returns: what happened on it.
  /// - Throws: if the story has no further day.
  @discardableResult
  package func passDay() async throws -> [SandboxEvent] {
    try await clock.sleep(for: .days(1))
    guard let events = live.passDay() else { throw Missing(name: "a day") }
    return events
  }

  /// The DID of one of the cast.
  package func did(_ name: String) throws -> DID {
    guard let account = live.network.account(try handle(name)) else { throw Missing(name: name) }
    return account.did
  }

  /// The number of one of the cast in the network.
  package func number(_ name: String) throws -> Int {
    guard let number = live.network.index(of: try handle(name)) else { throw Missing(name: name) }
    return number
  }

  /// Follows of an account that the AppView hides: of inactive accounts, and of those with a block between the two.
  package func hiddenFollows(of account: DID) throws -> Set<DID> {
    let follows = live.records(of: account, in: try NSID(parsing: "app.bsky.graph.follow"))
    let subjects = follows.compactMap { $0.value["subject"]?.string.flatMap { DID($0) } }
    return Set(
      subjects.filter { subject in
        live.state { state in
          guard subject != account, let index = live.network.index(of: subject),
            let own = live.network.index(of: account)
          else { return false }
          return state.graph.standings.status(at: index) != .active || state.graph.isBlocked(own, index)
        }
      })
  }

  private func handle(_ name: String) throws -> Handle { try Handle(parsing: "\(name).test") }

  /// The latest post of one of the cast that an account has quoted.
  package func post(of name: String) throws -> ATURI {
    let author = try number(name)
    let found: ATURI? = try live.withState { state, now in
      let quoted = state.posts.references(
        .quote, to: author, by: state.posts.quoters(of: author), from: .epoch, through: now, until: now)
      return state.posts.posts(of: author, until: now).last { quoted[$0.moment] != nil }
        .map { state.posts.uri(of: $0) }
    }
    guard let found else { throw Missing(name: "a quoted post of \(name)") }
    return found
  }

  /// The first list of one of the cast with a name.
  package func list(_ name: String, of owner: String) throws -> ATURI {
    let (did, collection) = (try did(owner), try NSID(parsing: "app.bsky.graph.list"))
    guard
      let list = live.records(of: did, in: collection).first(where: { $0.value["name"]?.string == name })
    else { throw Missing(name: name) }
    return ATURI(authority: .did(did), collection: collection, recordKey: list.key)
  }
}
