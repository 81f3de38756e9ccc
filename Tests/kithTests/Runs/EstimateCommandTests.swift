// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithRelationships
import KithSandbox
import TestSupport
import Testing

@testable import SandboxSupport
@testable import kith

/// `--explain` names each method that the command calls afterwards, and says at least how often: for every word of the
/// predicate language and for every verb.
@Suite struct EstimateCommandTests {
  // MARK: Words

  /// Predicates with each word of the language, except relations.
  private static let phrases = [
    "followers": "followers > 10", "follows": "follows > followers", "posts": "posts > 3",
    "known-followers": "known-followers > 0", "handle": "handle contains a", "name": "name contains a",
    "bio": "not bio contains a", "followed": "followed since 2020-01-01",
    "created": "created before 2024-01-01",
    "active": "active within 90d", "verified": "verified", "avatar": "avatar", "label": "label",
    "on": "on {list}", "status": "status is active", "segment": "segment known", "not": "not avatar",
  ]

  /// Predicates with a word of the language.
  private static func predicates(with word: String) -> [String] {
    guard let relation = Relation(rawValue: word) else { return [phrases[word]].compactMap(\.self) }
    // Only the own mutes are known.
    return [word, "not \(word) with me"] + (relation == .muted ? [] : ["\(word) with bob.test"])
  }

  private static let cases = AccountPredicate.vocabulary.flatMap(predicates).flatMap { predicate in
    ["followers alice.test", "follow --from {file}", "mute --followers-of grace.test"].map {
      "\($0) --where \(predicate)"
    }
  }

  @Test func everyWordHasAPredicate() {
    for word in AccountPredicate.vocabulary { #expect(!Self.predicates(with: word).isEmpty, "\(word)") }
  }

  @Test(arguments: CaseSample.of(cases, one: 8)) func predicatesCostAtMostTheEstimate(
    line: String
  ) async throws {
    try await expectBound(line, before: line.contains("segment") ? ["segments add known mutual"] : [])
  }

  // MARK: Verbs

  /// What each verb with an estimate is carried out with, after the lines before it.
  private static let lines: [String: [String]] = [
    "check": ["check alice.test {names} --is mutual"],
    "followers": ["followers alice.test --dates --status --requests --relationship"],
    "following": ["following grace.test --dates --status"], "mutuals": ["mutuals alice.test"],
    "not-following-back": ["not-following-back alice.test"],
    "not-followed-back": ["not-followed-back alice.test"],
    "known-followers": ["known-followers grace.test"], "common": ["common alice.test grace.test"],
    "blocked-by": ["blocked-by alice.test {names}"], "blocks": ["block judy.test", "blocks alice.test"],
    "mutes": ["mute judy.test", "mutes"], "likers": ["likers {post}"], "reposters": ["reposters {post}"],
    "quoters": ["quoters {post}"], "repliers": ["repliers {post}"], "snapshot": ["snapshot alice.test"],
    "people search": ["people search bob --counts"], "people suggested": ["people suggested"],
    "people popular": ["people popular"], "people nearby": ["people nearby"],
    "people recent": ["people recent"],
    "people recommend": ["people recommend"], "people match": ["people match {file}"],
    "doctor": ["doctor --fix duplicate"], "import": ["import {file} --as follow"],
    "export": ["export following"],
    "feed": ["feed --limit 20"], "stats": ["stats grace.test --metric growth --sample 60"],
    "post": ["post Hello"], "posts delete": ["posts delete {own}"], "like": ["like {post}"],
    "unlike": ["like {post}", "unlike {post}"], "repost": ["repost {post}"],
    "unrepost": ["repost {post}", "unrepost {post}"], "follow": ["follow {names}"],
    "unfollow": ["unfollow --following"], "follow-back": ["follow-back"], "block": ["block {names}"],
    "unblock": ["block {names}", "unblock {names}"], "mute": ["mute {names}"],
    "unmute": ["mute {names}", "unmute {names}"], "block-list": ["block-list {list} --allow-curation"],
    "unblock-list": ["block-list {list} --allow-curation", "unblock-list {list}"],
    "mute-list": ["mute-list {list} --allow-curation"],
    "unmute-list": ["mute-list {list} --allow-curation", "unmute-list {list}"],
    "lists create": ["lists create Birds --purpose curate {names}"],
    "lists edit": ["lists create Birds --purpose curate", "lists edit Birds --name Owls"],
    "lists delete": ["lists create Birds --purpose curate {names}", "lists delete Birds"],
    "lists add": ["lists create Birds --purpose curate", "lists add Birds {names}"],
    "lists remove": ["lists create Birds --purpose curate {names}", "lists remove Birds {names}"],
    "lists import": ["lists create Birds --purpose curate", "lists import Birds --from {list}"],
    "starter-packs follow": ["starter-packs follow {pack}"],
    "report": ["report judy.test --reason spam --block"], "profile set": ["profile set --bio Birds"],
    "friends request": ["friends request judy.test bob.test"],
    "friends accept": ["friends accept judy.test --kind friend"],
    "friends decline": ["friends decline judy.test"],
    "friends cancel": ["friends request judy.test", "friends cancel judy.test"],
    "friends remove": ["friends request judy.test", "friends remove judy.test"],
    "friends audience": ["lists create Birds --purpose curate {names}", "friends audience Birds"],
    "friends policy": ["friends policy --expiry 30d"], "friends sync": ["friends sync"],
  ]

  /// `live` does not end by itself; `FollowLiveTests` try its estimate.
  private static let verbs = CommandLeaf.all.filter { $0.declares("explain") }.map(\.line)
    .filter { $0 != "live" }.sorted()

  @Test func everyVerbWithAnEstimateHasALine() {
    #expect(Self.verbs.count > 55 && Self.verbs == Self.lines.keys.sorted())
  }

  @Test(arguments: CaseSample.of(verbs, one: 8)) func aVerbCostsAtMostTheEstimate(verb: String) async throws {
    let lines = try #require(Self.lines[verb])
    try await expectBound(try #require(lines.last), before: lines.dropLast())
  }

  // MARK: Comparison

  /// Explains a command, carries it out as a new user, and compares.
  private func expectBound(_ line: String, before: [String]) async throws {
    let scene = try Scene()
    for earlier in ["login alice.test"] + before {
      let ending = try await scene.run(earlier).ending
      #expect(ending.status == .success, "\(earlier): \(ending.talk)")
    }
    let estimate = try await scene.run(line, explaining: true).ending
    #expect(estimate.status == .success, "\(line): \(estimate.talk)")
    let (ending, made) = try await scene.run(line)
    #expect(![.usage, .badInput, .internalError].contains(ending.status), "\(line): \(ending.talk)")
    var planned: [String: Int?] = [:]
    for row in estimate.rows.dropLast() {
      guard let step = row.text("step") else { continue }
      planned[step] = .some(
        (planned[step] ?? 0).flatMap { sum in row["calls"].flatMap { Int($0) }.map { sum + $0 } })
    }
    let excess = made.filter { method, count in (planned[method] ?? 0).map { count > $0 } ?? false }
    let gaps = excess.map {
      "\($0): \($1), not \(planned[$0].map { $0.map(String.init) ?? "?" } ?? "in the plan")"
    }
    #expect(excess.isEmpty, "\(line): \(gaps.sorted())")
  }
}

/// A new user in a network whose calls are counted.
private final class Scene: HTTPTransport {
  private let user: InProcessUser
  private let values: [String: String]
  private let made = PosixMutex<[String: Int]>([:])

  var capabilities: TransportCapabilities { user.network.capabilities }

  init() throws {
    user = try InProcessUser(accounts: 200)
    let accounts = user.network.accounts.accounts.filter { $0.status == .active }[20..<90]
    let all = accounts.enumerated().map { $0 % 2 == 0 ? $1.did.description : $1.handle.description }
    let names = all.prefix(40).joined(separator: " ")
    let file = user.home.appending(path: "names.txt")
    try Data(all.map { "\($0)\n" }.joined().utf8).write(to: file)
    let pack = try user.network.records(
      of: user.did("grace"), in: NSID(parsing: "app.bsky.graph.starterpack")
    ).first
    values = [
      "names": names, "file": file.path(), "list": try user.list("Book people", of: "grace"),
      "post": try user.post(of: "bob"), "own": try user.writtenPost(),
      "pack": "at://\(try user.did("grace"))/app.bsky.graph.starterpack/\(try #require(pack).key)",
    ]
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let path = request.head.path?.prefix { $0 != "?" } ?? ""
    let name =
      path.hasPrefix("/xrpc/")
      ? String(path.dropFirst(6))
      : path.hasPrefix("/.well-known/") ? CallMeter.handleProofs : CallMeter.documents
    // A plan counts no sessions.
    if !name.hasPrefix("com.atproto.server.") { made.withLock { $0[name, default: 0] += 1 } }
    return try await user.network.send(request)
  }

  /// Carries out a line, or explains it, with the calls that it makes.
  func run(
    _ line: String, explaining: Bool = false
  ) async throws -> (
    ending: InProcessUser.Ending, calls: [String: Int]
  ) {
    let filled = values.reduce(line) { $0.replacing("{\($1.key)}", with: $1.value) }
    let parts = filled.components(separatedBy: " --where ")
    var words = parts[0].split(separator: " ").map(String.init)
    let command = CommandLeaf.all.first { words.starts(with: $0.path) }
    let isConfirmed = try #require(command, "\(line)").declares("yes")
    words +=
      parts.dropFirst().flatMap { ["--where", $0] }
      + (explaining ? ["--explain"] : isConfirmed ? ["--yes"] : [])
    made.withLock { $0 = [:] }
    let ending = try await user.kith(words, over: self)
    return (ending, made.withLock(\.self))
  }
}
