// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// A command to run under each fault.
struct FaultCase: Sendable {
  /// What the command changes, counted in the network itself.
  struct Effect: Sendable {
    /// The count once the change is made.
    let wanted: Int
    let count: @Sendable (InProcessUser) throws -> Int
  }

  /// A command that runs before, with its fault.
  struct Step: Sendable, ExpressibleByStringLiteral {
    let line: String
    private(set) var fault = Fault.none

    init(stringLiteral line: String) { self.line = line }

    static func with(_ fault: Fault, _ line: String) -> Step {
      var step = Step(stringLiteral: line)
      step.fault = fault
      return step
    }
  }

  /// The name in the table.
  let name: String
  let line: String
  var before: [Step] = ["login alice.test"]
  var effect: Effect?
  /// The faults under which it rightly changes nothing.
  var waitsUnder: Set<Fault> = []
  /// Whether it prints responses unchanged, valid or not.
  var isRaw = false
  /// Whether its rows count what could be read, so that they may differ where the status says that not all was.
  var countsWhatIsRead = false
  /// Whether it makes parallel calls, as every change does: if all fail, it varies which calls are made before the
  /// rest is cancelled.
  var asksAtOnce: Bool {
    effect != nil || name.hasPrefix("people ") || ["snapshot", "doctor"].contains(name)
  }

  /// `{niaj}` in a line stands for the DID of one of the cast, `{spam}` and `{loud}` for lists of others,
  /// `{pack}` for a starter pack, `{post}` for a post of Alice, `{own}` for one that she can delete, `{isDave}` for a predicate, `{others}` for 40 accounts.
  static let all: [FaultCase] = [
    FaultCase(name: "login", line: "login alice.test", before: []),
    FaultCase(name: "logout", line: "logout"),
    FaultCase(name: "accounts", line: "accounts"),
    FaultCase(name: "whoami", line: "whoami"),
    FaultCase(name: "check", line: "check alice.test bob.test erin.test {niaj}"),
    FaultCase(name: "check, 40 targets", line: "check alice.test {others}"),
    FaultCase(
      name: "check, just changed", line: "check alice.test {niaj} bob.test erin.test judy.test",
      before: [
        "login alice.test", "follow {niaj}", "unfollow bob.test --yes", "unblock erin.test --yes",
        "block judy.test --yes",
      ]),
    FaultCase(name: "resolve", line: "resolve {carol}"),
    FaultCase(name: "count", line: "count {carol}"),
    FaultCase(name: "followers", line: "followers grace.test"),
    FaultCase(name: "following", line: "following"),
    FaultCase(name: "not-following-back", line: "not-following-back grace.test"),
    FaultCase(name: "snapshot", line: "snapshot"),
    FaultCase(name: "doctor", line: "doctor"),
    FaultCase(name: "export", line: "export relationships"),
    FaultCase(name: "follow DID", line: "follow {niaj}", effect: .records("follow", about: "niaj")),
    FaultCase(name: "follow HANDLE", line: "follow niaj.test", effect: .records("follow", about: "niaj")),
    FaultCase(
      name: "unfollow", line: "unfollow bob.test --yes", effect: .records("follow", about: "bob", wanted: 0)),
    FaultCase(name: "block", line: "block niaj.test --yes", effect: .records("block", about: "niaj")),
    FaultCase(
      name: "unblock", line: "unblock erin.test --yes", effect: .records("block", about: "erin", wanted: 0)),
    FaultCase(name: "mute", line: "mute niaj.test", effect: .mutes("niaj")),
    FaultCase(
      name: "unmute", line: "unmute niaj.test", before: ["login alice.test", "mute niaj.test"],
      effect: .mutes("niaj", wanted: 0)),
    FaultCase(name: "block-list", line: "block-list {loud} --yes", effect: .records("listblock", wanted: 2)),
    FaultCase(
      name: "unblock-list", line: "unblock-list {spam} --yes", effect: .records("listblock", wanted: 0)),
    FaultCase(name: "mute-list", line: "mute-list {spam}", effect: .mutedLists()),
    FaultCase(
      name: "unmute-list", line: "unmute-list {spam}", before: ["login alice.test", "mute-list {spam}"],
      effect: .mutedLists(wanted: 0)),
    FaultCase(name: "lists", line: "lists"),
    FaultCase(name: "lists show", line: "lists show {spam}"),
    FaultCase(name: "lists export", line: "lists export {spam}"),
    FaultCase(
      name: "lists create", line: "lists create Noise --purpose mod niaj.test",
      effect: .lists(named: "Noise", members: 1)),
    FaultCase(
      name: "lists edit", line: "lists edit Noise --name Racket", before: noise,
      effect: .lists(named: "Racket", members: 1)),
    FaultCase(
      name: "lists add", line: "lists add Noise {ivan}", before: noise,
      effect: .records("listitem", wanted: 2)),
    FaultCase(
      name: "lists import", line: "lists import Noise --from {pack}", before: noise,
      effect: .records("listitem", wanted: 2)),
    FaultCase(
      name: "lists remove", line: "lists remove Noise {niaj} --yes", before: noise,
      effect: .records("listitem", wanted: 0)),
    FaultCase(
      name: "lists delete", line: "lists delete Noise --yes", before: noise,
      effect: .lists(named: "Noise", members: 0, wanted: 0)),
    FaultCase(name: "graphs", line: "graphs alice.test"),
    FaultCase(name: "graphs compare", line: "graphs compare bluesky tangled alice.test"),
    FaultCase(name: "friends", line: "friends alice.test"),
    FaultCase(name: "friends inbox", line: "friends inbox bob.test dave.test"),
    FaultCase(name: "friends sent", line: "friends sent alice.test"),
    FaultCase(
      name: "friends request", line: "friends request dave.test",
      effect: .friendRecords("friendRequest", about: "dave")),
    FaultCase(
      name: "friends accept", line: "friends accept dave.test --kind friend",
      effect: .friendRecords("friendAnswer", wanted: 2)),
    FaultCase(name: "friends decline", line: "friends decline dave.test"),
    FaultCase(
      name: "friends cancel", line: "friends cancel niaj.test",
      effect: .friendRecords("friendRequest", wanted: 0)),
    FaultCase(
      name: "friends remove", line: "friends remove carol.test --yes",
      effect: .friendRecords("friendAnswer", wanted: 0)),
    FaultCase(name: "friends policy ACTOR", line: "friends policy grace.test"),
    FaultCase(
      name: "friends policy", line: "friends policy --who-may-ask mutuals",
      effect: .friendRecords("friendPolicy")),
    FaultCase(name: "friends sync", line: "friends sync"),
    FaultCase(
      name: "friends audience", line: "friends audience Circle --yes", before: circle,
      effect: .records("listitem")),
    FaultCase(name: "people search", line: "people search bob"),
    FaultCase(name: "people suggested", line: "people suggested --limit 5"),
    FaultCase(name: "people popular", line: "people popular --limit 5"),
    FaultCase(name: "people recent", line: "people recent --limit 5"),
    FaultCase(
      name: "people recommend", line: "people recommend carol.test --limit 5", countsWhatIsRead: true),
    FaultCase(name: "likers", line: "likers {post}"),
    FaultCase(name: "profile", line: "profile carol.test"),
    FaultCase(name: "profile set", line: "profile set --bio birds", effect: .biography("birds")),
    FaultCase(
      name: "follow-back", line: "follow-back --where {isDave} --yes",
      effect: .records("follow", about: "dave")),
    FaultCase(name: "notifications", line: "notifications --kind follow --limit 5"),
    FaultCase(name: "feed", line: "feed --limit 5 --fields uri,text"),
    FaultCase(
      name: "feed --mutuals", line: "feed --mutuals --limit 5 --fields uri,text", countsWhatIsRead: true),
    FaultCase(name: "feed --of", line: "feed --of bob.test --limit 5 --fields uri,text"),
    FaultCase(name: "thread", line: "thread {post} --fields uri,text"),
    FaultCase(
      name: "post", line: "post @bob.test --replies none --yes", effect: .feedRecords("post")),
    FaultCase(
      name: "post --reply-to", line: "post hello --reply-to {post} --yes", effect: .feedRecords("post")),
    FaultCase(
      name: "posts delete", line: "posts delete {own} --yes", effect: .feedRecords("post", wanted: 0)),
    FaultCase(name: "like", line: "like {post}", effect: .feedRecords("like")),
    FaultCase(
      name: "unlike", line: "unlike {post} --yes", before: ["login alice.test", "like {post}"],
      effect: .feedRecords("like", wanted: 0)),
    FaultCase(name: "repost", line: "repost {post}", effect: .feedRecords("repost")),
    FaultCase(
      name: "unrepost", line: "unrepost {post} --yes", before: ["login alice.test", "repost {post}"],
      effect: .feedRecords("repost", wanted: 0)),
    FaultCase(name: "starter-packs", line: "starter-packs --of grace.test"),
    FaultCase(name: "starter-packs show", line: "starter-packs show {pack}"),
    FaultCase(
      name: "starter-packs follow", line: "starter-packs follow {pack} --yes",
      effect: .records("follow", about: "judy")),
    FaultCase(name: "report", line: "report niaj.test --reason spam", effect: .reports),
    FaultCase(name: "jobs", line: "jobs", before: openJob),
    FaultCase(name: "jobs show", line: "jobs show 1", before: openJob),
    FaultCase(
      name: "jobs resume", line: "jobs resume 1", before: openJob, effect: .records("follow", about: "niaj")),
    FaultCase(
      name: "jobs undo", line: "jobs undo 1 --yes", before: ["login alice.test", "follow {niaj}"],
      effect: .records("follow", about: "niaj", wanted: 0)),
    FaultCase(
      name: "jobs retry-failed", line: "jobs retry-failed 1",
      before: ["login alice.test", .with(.writesRefused, "follow {niaj}")],
      effect: .records("follow", about: "niaj")),
    FaultCase(
      name: "jobs due", line: "jobs due", before: ["login alice.test", "block {niaj} --for 1s --yes"],
      // It ends by the server's clock.
      effect: .records("block", about: "niaj", wanted: 0), waitsUnder: [.clockBehind]),
    FaultCase(name: "jobs pause", line: "jobs pause 1", before: openJob),
    FaultCase(name: "jobs cancel", line: "jobs cancel 1", before: openJob),
    FaultCase(name: "jobs prune", line: "jobs prune", before: openJob),
    FaultCase(name: "xrpc query", line: "xrpc query app.bsky.actor.getProfile actor=alice.test", isRaw: true),
  ]

  private static let noise: [Step] = ["login alice.test", "lists create Noise --purpose mod {niaj}"]
  private static let circle: [Step] = ["login alice.test", "lists create Circle --purpose curate {niaj}"]
  private static let openJob: [Step] = ["login alice.test", .with(.writesFail, "follow {niaj}")]
}

extension FaultCase.Effect {
  static func records(_ collection: String, about name: String? = nil, wanted: Int = 1) -> Self {
    Self(wanted: wanted) { user in
      try user.records(collection, about: name.map { try user.did($0).description })
    }
  }

  /// Requests, answers or policies.
  static func friendRecords(_ collection: String, about name: String? = nil, wanted: Int = 1) -> Self {
    Self(wanted: wanted) { user in
      guard let collection = NSID("org.kith.temp.graph.\(collection)") else {
        throw CocoaError(.coderInvalidValue)
      }
      let subject = try name.map { try user.did($0).description }
      return user.network.live.records(of: try user.did("alice"), in: collection)
        .count { subject == nil || $0.value["subject"]?.string == subject }
    }
  }

  /// Whether the profile says this.
  static func biography(_ text: String) -> Self {
    Self(wanted: 1) { user in
      guard let collection = NSID("app.bsky.actor.profile") else { throw CocoaError(.coderInvalidValue) }
      return user.network.live.records(of: try user.did("alice"), in: collection)
        .count { $0.value["description"]?.string == text }
    }
  }

  /// Posts that were written, likes or reposts.
  static func feedRecords(_ collection: String, wanted: Int = 1) -> Self {
    Self(wanted: wanted) { user in
      guard let collection = NSID("app.bsky.feed.\(collection)") else {
        throw CocoaError(.coderInvalidValue)
      }
      return user.network.live.state { state in
        state.repository(NamedAccount.alice.rawValue).table(collection).entries.count
      }
    }
  }

  /// Lists with a name and a number of members.
  static func lists(named name: String, members: Int, wanted: Int = 1) -> Self {
    Self(wanted: wanted + members) { user in
      let lists = try user.values("list").count { $0["name"]?.string == name }
      return try lists == 0 ? 0 : lists + user.records("listitem")
    }
  }

  static func mutes(_ name: String, wanted: Int = 1) -> Self {
    Self(wanted: wanted) { user in
      let (alice, muted) = try (user.number("alice"), user.number(name))
      return try user.network.live.withState { state, _ in
        state.mutes.scope(of: muted, for: alice) == nil ? 0 : 1
      }
    }
  }

  static func mutedLists(wanted: Int = 1) -> Self {
    Self(wanted: wanted) { user in
      let alice = try user.number("alice")
      return try user.network.live.withState { state, _ in state.mutes.lists(of: alice).count }
    }
  }

  static let reports = Self(wanted: 1) { $0.network.live.tally.reports }
}
