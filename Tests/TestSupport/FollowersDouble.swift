// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
package import KithRelationships

/// An AppView, a directory and a PDS, with the followers of one actor and the status of each.
package final class FollowersDouble: Sendable {
  /// The state of an account in relation to the actor.
  package enum Standing: Sendable {
    case follows, unfollowed
    /// Blocks, with and without its follow of the actor.
    case blocks, blocksOnly, blockedByActor, blocksByList
    /// On a list that may be gone or have another purpose (Q6).
    case unfollowedOnStaleList
    case deactivated, takenDown, deleted, suspendedAtServer
    /// Unknown to the AppView: active on its server, or without one in the directory.
    case unknownToAppView, nowhere
    /// The AppView shows its profile and its follow, but does not list it.
    case leftOut
    case renamed
    /// The AppView has lost the follow; the account's repository has it.
    case forgotten
  }

  /// How a repository answers questions about records.
  package enum Repository: Sendable {
    case silent, refusing
    /// The records before the follow fill this many pages.
    case long(pages: Int)
    /// The follow was made again, with another key.
    case renewed
    /// It has a record that cannot be read.
    case unreadable
  }

  package struct State: Sendable {
    /// The newest follower is last.
    package var accounts: [Int: Standing] = [:]
    /// Repositories that are not as usual.
    package var repositories: [Int: Repository] = [:]
    /// Whether profiles have counts.
    package var hasCounts = true
    /// The profile's count, if it differs from the number of followers.
    package var counted: Int?
    /// Methods that fail.
    package var failing: Set<String> = []
    /// The number of pages after which the listing ends, as if there were no more.
    package var mostPages = Int.max
    /// Records of the actor's repository, by collection: key and subject.
    package var records: [String: [(rkey: String, value: String)]] = [:]
    package var muted: Set<Int> = []
    /// Accounts on a muted list.
    package var mutedByList: Set<Int> = []
    /// Follows of the actor in the AppView: by followed account, the record key.
    package var following: [Int: String] = [:]
    /// Records that were written after the repository was listed, by key.
    package var late: [String: String] = [:]
    /// Revisions of repositories.
    package var revisions: [Int: TID] = [:]
    /// DID documents that differ from the usual ones.
    package var documents: [Int: String] = [:]
    /// Answers that replace the usual ones.
    package var answers: [String: TransportResponse] = [:]
  }

  package static let actor = Accounts.did(0)

  package let clock = ManualClock(.skipping)
  private let state: PosixMutex<State>
  private let seen = PosixMutex(0)
  package let transport: ScriptedTransport
  package let client: XRPCClient

  /// What the wall clock is off by.
  private let wallFault = PosixMutex(Duration.zero)

  /// - Parameter wall: what the wall clock shows at first.
  package init(_ followers: some Sequence<Int> = [], wallAtZero wall: Instant = 1_760_000_000_000_000) throws
  {
    var state = State()
    for number in followers { state.accounts[number] = .follows }
    let shared = PosixMutex(state)
    self.state = shared
    transport = ScriptedTransport { request in Self.answer(request, shared.withLock { $0 }) }
    let (right, fault) = (clock.timeSource(wallAtZero: wall), wallFault)
    let random = PosixMutex(SeededGenerator(seed: 1))
    client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never) {
        random.withLock { Double.random(in: 0..<1, using: &$0) }
      },
      time: TimeSource(clock) { right.instant + fault.withLock { $0 } })
  }

  /// Sets the wall clock wrong.
  package func setWall(wrongBy duration: Duration) { wallFault.withLock { $0 = duration } }

  /// What the servers hold now, to be put back later.
  package var current: State { state.withLock { $0 } }

  package func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  package func set(_ numbers: Int..., to standing: Standing) {
    change { state in for number in numbers { state.accounts[number] = standing } }
  }

  package var listings: Listings {
    Listings(client, identities: IdentityDirectory(client: client)) { [client] _ in client }
  }

  /// The same network by the AppView at another address.
  package func listings(at appview: String) throws -> Listings {
    let client = XRPCClient(
      service: try ServiceURL(parsing: appview), transport: transport, configuration: client.configuration,
      time: client.time)
    return Listings(client, identities: IdentityDirectory(client: client)) { _ in client }
  }

  /// The last components of the methods called since the last access.
  package func calls() -> [String] {
    let requests = transport.requests
    let start = seen.withLock { seen in
      defer { seen = requests.count }
      return seen
    }
    return requests[start...].map { request in
      let method = RequestQuery(request).method
      return method.hasPrefix("did:") ? "directory" : String(method.split(separator: ".").last ?? "")
    }
  }

  private static func answer(_ request: TransportRequest, _ state: State) -> TransportResponse {
    let query = RequestQuery(request)
    if state.failing.contains(query.method) { return .xrpcError(500, "InternalServerError", "no") }
    if let answer = state.answers[query.method] { return answer }
    switch query.method {
    case "app.bsky.graph.getFollowers": return followers(query, state)
    case "app.bsky.graph.getFollows":
      let listed = state.following.keys.filter { state.accounts[$0] == .follows }.sorted()
      return page(listed, "follows", query, state)
    case "com.atproto.sync.getLatestCommit":
      guard let rev = query["did"].first.flatMap(number).flatMap({ state.revisions[$0] }) else {
        return .xrpcError(400, "RepoNotFound", "Could not find repo")
      }
      return TransportResponse(
        #"{"cid":"bafyreid3m6fyp6ro5wpbvihtuqfa3i5npl2sj7idobjlkzsezogjnqznii","rev":"\#(rev)"}"#)
    case "app.bsky.graph.getMutes": return page(state.muted.sorted(), "mutes", query, state)
    case "app.bsky.graph.getRelationships": return relationships(query, state)
    case "app.bsky.actor.getProfiles":
      let profiles = query["actors"].compactMap { profile($0, state) }
      return TransportResponse(#"{"profiles":[\#(profiles.joined(separator: ","))]}"#)
    case "app.bsky.actor.getProfile":
      switch number(query["actor"].first ?? "").flatMap({ state.accounts[$0] }) {
      case .deactivated?: return .xrpcError(400, "AccountDeactivated", "Account is deactivated")
      case .takenDown?: return .xrpcError(400, "AccountTakedown", "Account has been suspended")
      default: return .xrpcError(400, "InvalidRequest", "Profile not found")
      }
    case "com.atproto.sync.getRepoStatus":
      if query["did"].first.flatMap(number).flatMap({ state.accounts[$0] }) == .unknownToAppView {
        return TransportResponse(#"{"did":"\#(Accounts.did(1))","active":true}"#)
      }
      return TransportResponse(#"{"did":"\#(Accounts.did(1))","active":false,"status":"suspended"}"#)
    case "com.atproto.repo.listRecords", "com.atproto.repo.getRecord":
      if let other = query["repo"].first.flatMap(number), other != 0 {
        return repository(of: other, query, state)
      }
      return query.method.hasSuffix("listRecords") ? records(query, state) : record(query, state)
    case let did where did.hasPrefix("did:"):
      if let document = number(did).flatMap({ state.documents[$0] }) { return TransportResponse(document) }
      switch number(did).flatMap({ state.accounts[$0] }) {
      case .suspendedAtServer?, .unknownToAppView?: break
      case .nowhere?: return TransportResponse(#"{"id":"\#(did)"}"#)
      default: return .absence(of: did)
      }
      let service =
        ##"{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}"##
      return TransportResponse(#"{"id":"\#(did)","service":[\#(service)]}"#)
    default: return .xrpcError(501, "MethodNotImplemented", query.method)
    }
  }

  private static let numbers = Dictionary(
    uniqueKeysWithValues: (0..<3_000).map { ("\(Accounts.did($0))", $0) })

  private static func number(_ did: String) -> Int? { numbers[did] }

  private static func followers(_ query: RequestQuery, _ state: State) -> TransportResponse {
    let listed = state.accounts.filter { [.follows, .renamed].contains($0.value) }.keys.sorted(by: >)
    return page(listed, "followers", query, state)
  }

  private static func page(
    _ listed: [Int], _ field: String, _ query: RequestQuery, _ state: State
  ) -> TransportResponse {
    let start = query["cursor"].first.flatMap { Int($0) } ?? 0
    let end = min(listed.count, start + (query["limit"].first.flatMap { Int($0) } ?? 50))
    let isCut = start / 100 + 1 >= state.mostPages
    let rows = listed[start..<end].map { #"{"did":"\#(Accounts.did($0))","handle":"user\#($0).test"}"# }
    let cursor = end < listed.count && !isCut ? #","cursor":"\#(end)""# : ""
    let subject = #""subject":{"did":"\#(actor)","handle":"user0.test"},"#
    return TransportResponse(#"{\#(subject)"\#(field)":[\#(rows.joined(separator: ","))]\#(cursor)}"#)
  }

  private static func relationships(_ query: RequestQuery, _ state: State) -> TransportResponse {
    let rows = query["others"].map { other in
      var row = #"{"$type":"app.bsky.graph.defs#relationship","did":"\#(other)""#
      func edge(_ name: String, _ owner: String, _ collection: String) {
        row += #","\#(name)":"at://\#(owner)/app.bsky.graph.\#(collection)/3jui7kd54zh2y""#
      }
      let standing = number(other).flatMap { state.accounts[$0] }
      if let key = number(other).flatMap({ state.following[$0] }) {
        row += #","following":"at://\#(actor)/app.bsky.graph.follow/\#(key)""#
      }
      switch standing {
      case .unfollowed?, .blocksOnly?, .deleted?, .unknownToAppView?, .nowhere?, .unfollowedOnStaleList?,
        .forgotten?, nil:
        break
      default: edge("followedBy", other, "follow")
      }
      switch standing {
      case .blocks?, .blocksOnly?: edge("blockedBy", other, "block")
      case .blocksByList?, .unfollowedOnStaleList?: edge("blockedByList", other, "list")
      case .blockedByActor?: edge("blocking", "\(actor)", "block")
      default: break
      }
      return row + "}"
    }
    return TransportResponse(#"{"actor":"\#(actor)","relationships":[\#(rows.joined(separator: ","))]}"#)
  }

  private static func profile(_ did: String, _ state: State) -> String? {
    if did == "\(actor)" || did == "user0.test" {
      let following = state.accounts.values.count {
        ![
          .unfollowed, .blocksOnly, .deleted, .unknownToAppView, .nowhere, .unfollowedOnStaleList, .forgotten,
        ].contains($0)
      }
      let follows = state.records["app.bsky.graph.follow"]?.count ?? 0
      let counts =
        state.hasCounts ? #","followersCount":\#(state.counted ?? following),"followsCount":\#(follows)"# : ""
      return #"{"did":"\#(actor)","handle":"user0.test"\#(counts)}"#
    }
    guard let number = number(did), let standing = state.accounts[number] else { return nil }
    switch standing {
    case .deactivated, .takenDown, .deleted, .suspendedAtServer, .unknownToAppView, .nowhere: return nil
    case .renamed: return #"{"did":"\#(did)","handle":"renamed\#(number).test"}"#
    default:
      let isOnList = state.mutedByList.contains(number)
      let list =
        ##"{"uri":"at://\##(actor)/app.bsky.graph.list/x","cid":"x","name":"x","purpose":"app.bsky.graph.defs#modlist"}"##
      let byList = isOnList ? #","mutedByList":\#(list)"# : ""
      let viewer = #""viewer":{"muted":\#(isOnList || state.muted.contains(number))\#(byList)}"#
      return #"{"did":"\#(did)","handle":"user\#(number).test",\#(viewer)}"#
    }
  }

  /// The follow of the actor in the repository of another account.
  private static func repository(
    of number: Int, _ query: RequestQuery, _ state: State
  ) -> TransportResponse {
    let (standing, kind) = (state.accounts[number], state.repositories[number])
    switch standing {
    case .deactivated?, .takenDown?, .deleted?, .suspendedAtServer?, .nowhere?, nil:
      return .xrpcError(400, "RepoNotFound", "Could not find repo")
    default: break
    }
    var (key, earlier) = ("3jui7kd54zh2y", 0)
    switch kind {
    case .silent?: return .xrpcError(500, "InternalServerError", "no")
    case .refusing?: return .xrpcError(400, "RepoNotFound", "Could not find repo")
    case .renewed?: key = "3k2yihcrp6f2c"
    case .long(let pages)?: earlier = pages
    case .unreadable?, nil: break
    }
    let collection = "app.bsky.graph.follow"
    let isThere =
      query["collection"].first == collection
      && ![.unfollowed, .blocksOnly, .unfollowedOnStaleList].contains(standing)
    func row(_ key: String, _ subject: String) -> String {
      let value = ##"{"$type":"\##(collection)","subject":\##(subject),"createdAt":"2025-01-01T00:00:00Z"}"##
      return
        ##"{"uri":"at://\##(Accounts.did(number))/\##(collection)/\##(key)","cid":"x","value":\##(value)}"##
    }
    let follow = row(key, #""\#(actor)""#)
    if query.method.hasSuffix("getRecord") {
      if let other = query["collection"].first, other != collection, let rkey = query["rkey"].first,
        let value = state.late[rkey]
      {
        let uri = "at://\(Accounts.did(number))/\(other)/\(rkey)"
        return TransportResponse(##"{"uri":"\##(uri)","cid":"x","value":\##(value)}"##)
      }
      guard isThere, query["rkey"].first == key else {
        return .xrpcError(400, "RecordNotFound", "Could not locate record")
      }
      return TransportResponse(follow)
    }
    let page = query["cursor"].first.flatMap { Int($0) } ?? 0
    guard page >= earlier else {
      let rows = (0..<100).map { row("3l\(1_000 - page)\(1_000 - $0)22", #""\#(Accounts.did(2_000 + $0))""#) }
      return TransportResponse(#"{"records":[\#(rows.joined(separator: ","))],"cursor":"\#(page + 1)"}"#)
    }
    let rows = (kind.isUnreadable ? [row("3k2yihcrp6f2d", "7")] : []) + (isThere ? [follow] : [])
    return TransportResponse(#"{"records":[\#(rows.joined(separator: ","))]}"#)
  }

  private static func record(_ query: RequestQuery, _ state: State) -> TransportResponse {
    let (collection, rkey) = (query["collection"].first ?? "", query["rkey"].first ?? "")
    guard let value = state.records[collection]?.first(where: { $0.rkey == rkey })?.value ?? state.late[rkey]
    else {
      return .xrpcError(400, "RecordNotFound", "Could not locate record")
    }
    let uri = "at://\(actor)/\(collection)/\(rkey)"
    return TransportResponse(#"{"uri":"\#(uri)","cid":"x","value":\#(value)}"#)
  }

  private static func records(_ query: RequestQuery, _ state: State) -> TransportResponse {
    let collection = query["collection"].first ?? ""
    let all = state.records[collection] ?? []
    let start = query["cursor"].first.flatMap { Int($0) } ?? 0
    let end = min(all.count, start + 100)
    let rows = all[start..<end].map { record in
      #"{"uri":"at://\#(actor)/\#(collection)/\#(record.rkey)","cid":"x","value":\#(record.value)}"#
    }
    let cursor = end < all.count ? #","cursor":"\#(end)""# : ""
    return TransportResponse(#"{"records":[\#(rows.joined(separator: ","))]\#(cursor)}"#)
  }
}

extension FollowersDouble.State {
  /// Adds a follow, a block or a list item to the actor's repository, before the existing ones.
  package mutating func put(_ collection: String, _ rkey: String, _ subject: Int, list: String? = nil) {
    let list = list.map { #","list":"\#($0)""# } ?? ""
    let value =
      #"{"$type":"\#(collection)","subject":"\#(Accounts.did(subject))","createdAt":"2025-01-01T00:00:00Z"\#(list)}"#
    records[collection, default: []].insert((rkey, value), at: 0)
  }
}

extension FollowersDouble.Repository? {
  fileprivate var isUnreadable: Bool { if case .unreadable? = self { true } else { false } }
}
