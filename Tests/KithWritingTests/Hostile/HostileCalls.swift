// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport

@testable import KithPosts
@testable import KithRelationships
@testable import KithWriting

/// A call as Kith makes it, whose method returns whatever a test wants.
struct HostileCall: Sendable, CustomStringConvertible {
  /// The method that is hostile.
  let method: String
  /// The member of its answer that contains most of it.
  let list: String
  /// Which caller of the method it is, if there are several.
  var caller = ""
  /// The complete call.
  let call: @Sendable (XRPCClient) async throws -> Void

  var description: String { caller.isEmpty ? method : "\(method) (\(caller))" }

  static let actor = Accounts.did(0)
  static let others = Accounts.dids(1..<3)
  static let listURI = ATURI(
    authority: .did(actor), collection: .list, recordKey: RecordKey(tid: TID(bits: 1)))
  private static let key = RecordKey(tid: TID(bits: 1))

  private static func listing(_ kind: ActorListing, _ list: String) -> HostileCall {
    HostileCall(method: "\(kind.method)", list: list) {
      for try await _ in Listings($0).pages(of: kind) {}
    }
  }

  private static func viewerCall(_ method: String, _ call: ViewerCall) -> HostileCall {
    HostileCall(method: method, list: "x") {
      try await PDSRepository(account: actor, pds: $0).call(call)
    }
  }

  /// Every method that Kith calls, with each way of reading its answer.
  /// A PNG of one pixel, with only what is checked here.
  private static func picture() throws -> Picture {
    try Picture(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 1] + Array("IDAT".utf8)
        + [0, 0, 0, 0, 0] + [0, 0, 0, 0] + Array("IEND".utf8) + [0, 0, 0, 0])
  }

  static let all: [HostileCall] = [
    HostileCall(method: "app.bsky.graph.getRelationships", list: "relationships") {
      _ = try await AppViewRelationshipSource(client: $0).relationships(of: actor, with: others)
    },
    HostileCall(method: "app.bsky.actor.getProfiles", list: "profiles", caller: "existence") {
      _ = try await AppViewRelationshipSource(client: $0).existing(among: others)
    },
    HostileCall(method: "app.bsky.actor.getProfiles", list: "profiles", caller: "profiles") {
      _ = try await ProfileService(account: actor, client: $0).profiles(of: others)
    },
    HostileCall(method: "app.bsky.actor.getProfiles", list: "profiles", caller: "handles") {
      _ = try await AccountViews(client: $0).views(of: others)
    },
    HostileCall(method: "app.bsky.actor.getProfiles", list: "profiles", caller: "counts") {
      _ = try await NetworkCounts(client: $0).entries(of: [.follows(of: .did(actor))])
    },
    HostileCall(method: "app.bsky.actor.getProfiles", list: "profiles", caller: "count") {
      _ = try await NetworkCounts(client: $0).profile(of: .did(actor))
    },
    HostileCall(method: "app.bsky.feed.getTimeline", list: "feed") {
      var feed = Feeds(Listings($0, as: actor)).read(.timeline())
      while try await feed.next(most: 100) != nil {}
    },
    HostileCall(method: "app.bsky.notification.listNotifications", list: "notifications") {
      for try await _ in Notifications(Listings($0, as: actor)).all() {}
    },
    HostileCall(method: "app.bsky.notification.listActivitySubscriptions", list: "subscriptions") {
      for try await _ in Notifications(Listings($0, as: actor)).subscriptions() {}
    },
    HostileCall(method: "app.bsky.actor.getPreferences", list: "preferences") {
      _ = try await PostAudience.usual(asking: $0)
    },
    HostileCall(method: "com.atproto.repo.uploadBlob", list: "x") { _ = try await picture().upload(to: $0) },
    HostileCall(method: "app.bsky.notification.getUnreadCount", list: "x") {
      _ = try await Notifications(Listings($0, as: actor)).unreadCount()
    },
    HostileCall(method: "app.bsky.notification.updateSeen", list: "x") {
      try await Notifications(Listings($0, as: actor)).markSeen(upTo: Datetime(at: .epoch))
    },
    HostileCall(method: "app.bsky.notification.getPreferences", list: "preferences") {
      _ = try await Notifications(Listings($0, as: actor)).settings()
    },
    HostileCall(method: "app.bsky.notification.putPreferencesV2", list: "preferences") {
      _ = try await Notifications(Listings($0, as: actor)).change([])
    },
    HostileCall(method: "app.bsky.notification.putActivitySubscription", list: "x") {
      try await Notifications(Listings($0, as: actor)).subscribe(to: actor, posts: true, replies: false)
    },
    HostileCall(method: "app.bsky.feed.getListFeed", list: "feed") {
      var feed = Feeds(Listings($0)).read(.list(listURI))
      while try await feed.next(most: 100) != nil {}
    },
    HostileCall(method: "app.bsky.feed.getAuthorFeed", list: "feed", caller: "merge") {
      var feed = Feeds(Listings($0)).read(.authors([actor]))
      while try await feed.next(most: 100) != nil {}
      if let fault = feed.coverage.fault { throw fault }
    },
    HostileCall(method: "app.bsky.feed.getPostThread", list: "thread", caller: "thread") {
      _ = try await Feeds(Listings($0)).thread(of: listURI)
    },
    HostileCall(method: "app.bsky.feed.getAuthorFeed", list: "feed") {
      for try await _ in Listings($0).posts(of: .did(actor)) {}
    },
    listing(.reactions(.likes, to: listURI), "likes"),
    listing(.reactions(.reposts, to: listURI), "repostedBy"),
    listing(.reactions(.quotes, to: listURI), "posts"),
    listing(.reactions(.replies, to: listURI), "thread"),
    HostileCall(method: "app.bsky.feed.getPosts", list: "posts") {
      _ = try await NetworkCounts(client: $0).count(of: .likes, to: listURI)
    },
    HostileCall(method: "app.bsky.actor.searchActors", list: "actors") {
      for try await _ in Listings($0).search("a") {}
    },
    HostileCall(method: "app.bsky.actor.searchActorsTypeahead", list: "actors") {
      _ = try await Listings($0).typeahead("a", most: 10)
    },
    HostileCall(method: "app.bsky.actor.getSuggestions", list: "actors") {
      for try await _ in Listings($0).suggestions() {}
    },
    HostileCall(method: "app.bsky.graph.getSuggestedFollowsByActor", list: "suggestions") {
      _ = try await Listings($0).similar(to: .did(actor))
    },
    HostileCall(method: "app.bsky.actor.getProfile", list: "viewer") {
      _ = try await ProfileService(account: actor, client: $0).profile(of: others[0])
    },
    listing(.follows(of: .did(actor)), "follows"), listing(.followers(of: .did(actor)), "followers"),
    listing(.members(of: listURI), "items"), listing(.blocks(of: .did(actor)), "blocks"),
    listing(.mutes(of: .did(actor)), "mutes"),
    HostileCall(method: "app.bsky.graph.getListMutes", list: "lists", caller: "muted lists") {
      _ = try await MuteStates(client: $0).hasMutedList()
    },
    HostileCall(method: "app.bsky.actor.getProfiles", list: "profiles", caller: "mutes") { client in
      for (_, outcome) in try await MuteStates(client: client).outcomes(of: others) { _ = try outcome.get() }
    },
    HostileCall(method: "com.atproto.sync.getRepoStatus", list: "status") { client in
      let answer = try await AccountStatuses.answer(about: actor, of: client)
      if answer == .unclear { throw RelationshipError.invalidResponse }
    },
    HostileCall(method: "com.atproto.sync.getLatestCommit", list: "rev") { client in
      let activity = AccountActivity(
        repository: { _ in client }, identities: IdentityDirectory(client: client), time: client.time)
      _ = try await activity.lastChange(of: actor, by: client)
    },
    HostileCall(method: "app.bsky.graph.getListBlocks", list: "lists") {
      for try await _ in Listings($0).blockedLists() {}
    },
    HostileCall(method: "app.bsky.graph.getListMutes", list: "lists") {
      for try await _ in Listings($0).mutedLists() {}
    },
    HostileCall(method: "blue.microcosm.links.getBacklinks", list: "records") {
      for try await _ in BacklinkIndex($0).links(from: .blocks, to: { "\(actor)" }, { $0 }) {}
    },
    HostileCall(method: "blue.microcosm.links.getManyToManyCounts", list: "counts_by_other_subject") {
      for try await _ in BacklinkIndex($0).lists(with: { actor }) {}
    },
    HostileCall(method: "app.bsky.graph.getList", list: "items", caller: "members") {
      var members = Listings($0).members(of: listURI).makeAsyncIterator()
      while try await members.next() != nil {}
      if let fault = members.coverage.fault { throw fault }
    },
    HostileCall(method: "app.bsky.graph.getLists", list: "lists") {
      for try await _ in Listings($0).lists(of: .did(actor)) {}
    },
    HostileCall(method: "com.atproto.repo.listRecords", list: "records", caller: "follows") {
      for try await _ in RecordReader(of: actor, client: $0).records(App.Bsky.Graph.Follow.self) {}
    },
    HostileCall(method: "com.atproto.repo.describeRepo", list: "collections") {
      _ = try await RecordReader(of: actor, client: $0).collections()
    },
    HostileCall(method: "com.atproto.repo.listRecords", list: "records", caller: "lists") {
      _ = try await OwnLists(of: actor, client: $0)
    },
    HostileCall(method: "com.atproto.repo.listRecords", list: "records", caller: "starter packs") {
      for try await _ in RecordReader(of: actor, client: $0).starterPacks() {}
    },
    HostileCall(method: "com.atproto.repo.getRecord", list: "value", caller: "starter pack") {
      _ = try await StarterPack.read(key, of: actor, client: $0)
    },
    HostileCall(method: "com.atproto.repo.getRecord", list: "value", caller: "version") {
      _ = try await RecordVersion.read(listURI, client: $0)
    },
    HostileCall(method: "com.atproto.repo.applyWrites", list: "results") {
      try await PDSRepository(account: actor, pds: $0).commit([
        RecordWrite(collection: .follow, rkey: key, action: .delete(former: nil))
      ])
    },
    HostileCall(method: "com.atproto.identity.resolveHandle", list: "did") {
      for outcome in try await HandleResolver(client: $0).dids(of: [Accounts.handle(1)]).values {
        _ = try outcome.get()
      }
    },
    HostileCall(method: "com.atproto.moderation.createReport", list: "subject") {
      guard let moderator = ServiceReference(did: actor, service: "atproto_labeler") else { return }
      _ = try await ReportClient(pds: $0, to: moderator).send(Report(.account(others[0]), reason: .spam))
    },
    HostileCall(method: "com.atproto.server.createSession", list: "didDoc") {
      let input = Com.Atproto.Server.CreateSession.Input(identifier: "\(actor)", password: "hunter2")
      _ = try await $0.call(Com.Atproto.Server.CreateSession.self, NoParameters(), input: input)
    },
    HostileCall(method: "com.atproto.server.refreshSession", list: "didDoc") {
      _ = try await $0.call(Com.Atproto.Server.RefreshSession.self, NoParameters(), input: NoContent())
    },
    HostileCall(method: "com.atproto.server.getSession", list: "didDoc") {
      _ = try await $0.query(Com.Atproto.Server.GetSession.self, NoParameters())
    },
    HostileCall(method: "com.atproto.server.deleteSession", list: "x") {
      _ = try await $0.call(Com.Atproto.Server.DeleteSession.self, NoParameters(), input: NoContent())
    },
    viewerCall("app.bsky.graph.muteActor", .mute(others[0], .everything)),
    viewerCall("app.bsky.graph.unmuteActor", .unmute(others[0])),
    viewerCall("app.bsky.graph.muteActorList", .muteList(listURI)),
    viewerCall("app.bsky.graph.unmuteActorList", .unmuteList(listURI)),
  ]

  /// Makes the call on a server where only this method is hostile.
  ///
  /// - Parameter answer: the body of the n-th answer of the method.
  func run(_ answer: @escaping @Sendable (Int) -> [UInt8]) async -> HostileOutcome {
    let count = PosixMutex(0)
    let transport = ScriptedTransport { [method] request in
      let asked = RequestQuery(request).method
      guard asked == method else {
        return asked == "app.bsky.actor.getProfiles"
          ? TransportResponse(#"{"profiles":[]}"#)
          : .xrpcError(400, "InvalidRequest", "not found")
      }
      let number = count.withLock { number in
        defer { number += 1 }
        return number
      }
      var response = TransportResponse("")
      response.body = answer(number)
      return response
    }
    var outcome = HostileOutcome()
    do {
      let client = XRPCClient(
        service: try ServiceURL(parsing: "https://hostile.test"), transport: transport,
        time: ManualClock(.skipping).timeSource())
      try await call(client)
    } catch { outcome.error = error }
    let asked = transport.requests.filter { RequestQuery($0).method == method }
    outcome.calls = asked.count
    outcome.mostBytes = asked.map(\.limits.responseBytes).max() ?? 0
    return outcome
  }
}

/// The result of a call.
struct HostileOutcome {
  var error: (any Error)?
  /// How often the hostile method was called.
  var calls = 0
  /// The maximum size of its answers in bytes.
  var mostBytes = 0

  /// What is wrong with the answer, from anywhere in the error.
  var fault: (any Error)? {
    var next = error
    while let error = next {
      if error is DecodingError { return error }
      next =
        switch error {
        case let error as XRPCError: error.underlying
        case let error as RelationshipError: error.underlying
        case let error as RepositoryError: error.underlying
        case let error as IdentityError: error.underlying
        default: nil
        }
    }
    return nil
  }
}
