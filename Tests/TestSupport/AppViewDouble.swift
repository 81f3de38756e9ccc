// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithClient
package import KithCore

/// A minimal AppView with the quirks that matter here: Q1 to Q4 and Q14.
package final class AppViewDouble: Sendable {
  /// The double's data.
  package struct State: Sendable {
    /// All existing accounts, by handle.
    package var accounts: [Handle: DID] = [:]
    /// Accounts that exist but are not shown, with the error name of `getProfile`.
    package var hidden: [DID: String] = [:]
    /// The follows.
    package var follows: Set<Follow> = []
    /// Handles that `getProfiles` leaves out although they resolve (Q14).
    package var unlisted: Set<Handle> = []
    /// Accounts that are registered, but that the AppView does not know.
    package var unindexed: Set<DID> = []
  }

  /// One follow.
  package struct Follow: Sendable, Hashable {
    let follower: DID
    let followed: DID

    /// Creates a follow.
    package init(_ follower: DID, _ followed: DID) { (self.follower, self.followed) = (follower, followed) }
  }

  private let state: PosixMutex<State>

  /// Creates an AppView with the first accounts of ``Accounts``, and follows among them.
  package init(accounts count: Int, follows: [(Int, Int)] = []) {
    var state = State()
    for number in 0..<count { state.accounts[Accounts.handle(number)] = Accounts.did(number) }
    for (one, other) in follows { state.follows.insert(Follow(Accounts.did(one), Accounts.did(other))) }
    self.state = PosixMutex(state)
  }

  /// Changes the data.
  package func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  /// Responds to a call.
  package func answer(_ request: TransportRequest) -> TransportResponse {
    let query = RequestQuery(request)
    let state = state.withLock { $0 }
    switch query.method {
    case "app.bsky.graph.getRelationships": return relationships(query, state)
    case "app.bsky.actor.getProfiles":
      let profiles = query["actors"].compactMap { profile($0, state) }
      return TransportResponse(#"{"profiles":[\#(profiles.joined(separator: ","))]}"#)
    case "app.bsky.actor.getProfile":
      guard let actor = query["actor"].first else { break }
      if let profile = profile(actor, state) { return TransportResponse(profile) }
      if let did = DID(actor), let name = state.hidden[did] {
        return .xrpcError(400, name, "Account is not shown")
      }
      return .xrpcError(400, "InvalidRequest", "Profile not found")
    case "com.atproto.identity.resolveHandle":
      guard let handle = query["handle"].first.flatMap({ Handle($0) }), let did = state.accounts[handle]
      else {
        return .xrpcError(400, "InvalidRequest", "Unable to resolve handle")
      }
      return TransportResponse(#"{"did":"\#(did)"}"#)
    case _ where request.head.path?.hasPrefix("/did:plc:") == true:
      return document(String(request.head.path?.dropFirst() ?? ""), state)
    default: break
    }
    return .xrpcError(501, "MethodNotImplemented", "Method Not Implemented")
  }

  /// Answers as the directory, which knows every account, also those that the AppView has not indexed.
  private func document(_ did: String, _ state: State) -> TransportResponse {
    guard let known = DID(did), state.accounts.values.contains(known) || state.unindexed.contains(known)
    else {
      return .absence(of: did)
    }
    return TransportResponse(#"{"id":"\#(did)"}"#)
  }

  private func relationships(_ query: RequestQuery, _ state: State) -> TransportResponse {
    let others = query["others"]
    guard let actor = query["actor"].first.flatMap({ DID($0) }), state.accounts.values.contains(actor) else {
      let rows = others.map { Self.notFound($0) }
      return TransportResponse(#"{"relationships":[\#(rows.joined(separator: ","))]}"#)
    }
    let rows = others.map { other -> String in
      guard let target = DID(other) else { return Self.notFound(other) }
      var row = #"{"$type":"app.bsky.graph.defs#relationship","did":"\#(target)""#
      if target != actor, state.follows.contains(Follow(actor, target)) {
        row += #","following":"at://\#(actor)/app.bsky.graph.follow/3jui7kd54zh2y""#
      }
      if target != actor, state.follows.contains(Follow(target, actor)) {
        row += #","followedBy":"at://\#(target)/app.bsky.graph.follow/3jui7kd54zh2z""#
      }
      return row + "}"
    }
    return TransportResponse(#"{"actor":"\#(actor)","relationships":[\#(rows.joined(separator: ","))]}"#)
  }

  private static func notFound(_ actor: String) -> String {
    #"{"$type":"app.bsky.graph.defs#notFoundActor","actor":"\#(actor)","notFound":true}"#
  }

  private func profile(_ actor: String, _ state: State) -> String? {
    let found = state.accounts.first { $0.key.description == actor || $0.value.description == actor }
    guard let found, state.hidden[found.value] == nil, !state.unlisted.contains(found.key) else { return nil }
    return #"{"did":"\#(found.value)","handle":"\#(found.key)"}"#
  }
}
