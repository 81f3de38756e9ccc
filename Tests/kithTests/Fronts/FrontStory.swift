// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// The outcome of an intent, in terms that both fronts share.
enum IntentOutcome: Hashable {
  case done, unchanged, refused, pending, failed, inDoubt, notFound, notAuthorized

  /// The outcome of a command: from its only row, or from its status if there is no row. For a pending row of
  /// a signed-out account, the status counts, too.
  init(_ run: KithRun) throws {
    let row = try run.changes().first
    if run.status == 77, row == nil || row?.state == "pending" {
      self = .notAuthorized
      return
    }
    let state = try #require(row, "exit \(run.status): \(run.talk)").state
    let outcomes: [String: IntentOutcome] = [
      "done": .done, "unchanged": .unchanged, "refused": .refused, "pending": .pending, "failed": .failed,
      "inDoubt": .inDoubt, "notFound": .notFound,
    ]
    self = try #require(outcomes[state], "\(run.output)")
  }

  /// The outcome that the app's writer reports.
  init(_ result: Result<ChangeOutcome, any Error>) throws {
    switch result {
    case .success(let outcome):
      switch outcome.ending {
      case .done: self = .done
      case .held: self = .unchanged
      case .superseded: self = try #require(nil, "nothing else was asked for")
      }
    case .failure(let error):
      guard let failure = error as? ChangeFailure else { throw error }
      switch failure {
      case .refused: self = .refused
      case .failed(let error) where error.code == .inDoubt: self = .inDoubt
      case .failed(let error) where error.code == .notAuthorized: self = .notAuthorized
      case .failed, .budgetExhausted: self = .failed
      }
    }
  }
}

/// A sequence of intents of one account, and of other events.
struct FrontStory: Sendable, CustomTestStringConvertible {
  /// An intent, as a command line and as a call of an app.
  struct Intent: Sendable {
    /// The command line.
    let line: String
    let change: @Sendable (SandboxApp) throws -> ChangeIntent
    let outcome: IntentOutcome
  }

  enum Step: Sendable {
    case intent(Intent)
    /// Another app of the same account writes records.
    case otherApp(@Sendable (SandboxApp) async throws -> Void)
    /// Time passes for the running app; each command starts without memory.
    case later(Duration)
    /// The account signs out everywhere.
    case signOut
  }

  let testDescription: String
  let steps: [Step]

  init(_ name: String, _ steps: [Step]) { (testDescription, self.steps) = (name, steps) }
}

extension FrontStory.Step {
  private typealias Change = @Sendable (SandboxApp) throws -> ChangeIntent

  /// - Parameters:
  ///   - verb: the command, about the account of that name.
  ///   - outcome: the outcome that both fronts report.
  static func to(
    _ verb: String, _ name: String, _ outcome: IntentOutcome
  ) -> Self {
    let make: @Sendable (DID) throws -> ChangeIntent = { did in
      switch verb {
      case "follow": .follow(did)
      case "unfollow": .unfollow(did)
      case "block": .block(did)
      case "unblock": .unblock(did)
      case "mute": .mute(did, .everything)
      case "mute --only reposts": .mute(did, .reposts)
      case "mute --only quotes": .mute(did, .quotes)
      case "unmute": .unmute(did)
      default: try #require(nil, "no such verb: \(verb)")
      }
    }
    return .intent(
      FrontStory.Intent(
        line: "\(verb) \(name).test", change: { try make(try $0.did(name)) }, outcome: outcome))
  }

  /// - Parameter verb: the command, about a list of Grace's.
  static func toList(_ verb: String, _ name: String, _ outcome: IntentOutcome) -> Self {
    let make: @Sendable (ATURI) throws -> ChangeIntent = { list in
      switch verb {
      case "block-list": .blockList(list)
      case "unblock-list": .unblockList(list)
      case "mute-list": .muteList(list)
      case "unmute-list": .unmuteList(list)
      default: try #require(nil, "no such verb: \(verb)")
      }
    }
    return .intent(
      FrontStory.Intent(
        line: "\(verb) --yes LIST:\(name)", change: { try make(try $0.list(name)) }, outcome: outcome))
  }

  /// An intent about an own list.
  static func own(
    _ line: String, _ outcome: IntentOutcome,
    _ change: @escaping @Sendable (SandboxApp) throws -> ChangeIntent
  ) -> Self {
    .intent(FrontStory.Intent(line: line, change: { try change($0) }, outcome: outcome))
  }

  /// Another app writes a record about the account of that name.
  static func otherAppWrites(_ collection: NSID, about name: String, key: Int) -> Self {
    .otherApp { app in
      let record: DataValue = [
        "$type": .string(collection.description), "subject": .string(try app.did(name).description),
        "createdAt": "2026-01-01T00:00:00.000Z",
      ]
      let rkey = ChangeSamples.rkey(key)
      try await app.repository.commit([
        RecordWrite(collection: collection, rkey: rkey, action: .create(record))
      ])
    }
  }
}

extension FrontStory {
  private static let follows = App.Bsky.Graph.Follow.nsid
  private static let blocks = App.Bsky.Graph.Block.nsid

  static let all = [
    FrontStory(
      "follows",
      [
        .to("follow", "niaj", .done), .to("follow", "niaj", .unchanged), .to("unfollow", "niaj", .done),
        .to("unfollow", "niaj", .unchanged), .to("follow", "bob", .unchanged), .to("follow", "dave", .done),
        .to("follow", "alice", .refused), .to("unfollow", "alice", .unchanged),
        // They block Alice: one with a block, one by a list.
        .to("follow", "frank", .unchanged), .to("follow", "ivan", .done),
        // Their accounts are inactive.
        .to("unfollow", "oscar", .done), .to("follow", "trent", .done),
      ]),
    FrontStory(
      "blocks",
      [
        .to("block", "bob", .done), .to("block", "bob", .unchanged), .to("unblock", "bob", .done),
        .to("unblock", "bob", .unchanged), .to("follow", "bob", .done), .to("block", "erin", .unchanged),
        .to("unblock", "erin", .done), .to("block", "alice", .refused), .to("block", "niaj", .done),
        // A list blocks this one.
        .to("unblock", "heidi", .refused), .to("block", "heidi", .done), .to("unblock", "heidi", .done),
        .to("unblock", "heidi", .refused),
      ]),
    FrontStory(
      "mutes",
      [
        .to("mute", "bob", .done), .to("mute", "bob", .unchanged), .to("mute --only reposts", "bob", .done),
        .to("mute --only quotes", "bob", .done), .to("unmute", "bob", .done),
        .to("unmute", "bob", .unchanged),
        .to("mute", "alice", .refused), .toList("mute-list", "Spam and scams", .done),
        .toList("mute-list", "Spam and scams", .unchanged),
        // The list hides whether there is also a direct mute (Q9).
        .to("unmute", "heidi", .done), .toList("unmute-list", "Spam and scams", .done),
        .toList("unmute-list", "Spam and scams", .unchanged), .to("unmute", "mallory", .unchanged),
        .to("mute", "carol", .done),
      ]),
    FrontStory(
      "a list that mutes no longer",
      [
        .toList("mute-list", "Spam and scams", .done), .to("unmute", "heidi", .done),
        .toList("unmute-list", "Spam and scams", .done), .to("mute", "carol", .done),
        .to("unmute", "heidi", .unchanged),
      ]),
    FrontStory(
      "a list that blocks no longer",
      [
        .to("unblock", "heidi", .refused), .toList("unblock-list", "Spam and scams", .done),
        .to("unblock", "heidi", .unchanged),
      ]),
    FrontStory(
      "lists",
      [
        .toList("block-list", "Spam and scams", .unchanged), .toList("unblock-list", "Spam and scams", .done),
        .toList("unblock-list", "Spam and scams", .unchanged), .to("unblock", "heidi", .unchanged),
        .toList("block-list", "Spam and scams", .done),
        .own("lists create Noise --purpose mod", .done) { app in
          let rkey = ChangeSamples.rkey(1)
          let uri = ATURI(
            authority: .did(app.account), collection: App.Bsky.Graph.List.nsid, recordKey: rkey)
          return .list(.create(uri, ListDraft(name: "Noise", purpose: .moderate)))
        },
        .own("lists add Noise niaj.test", .done) {
          .add(try $0.did("niaj"), to: try $0.list("Noise", of: "alice"))
        },
        .own("lists add Noise niaj.test", .unchanged) {
          .add(try $0.did("niaj"), to: try $0.list("Noise", of: "alice"))
        },
        .own("lists add Noise bob.test", .refused) {
          .add(try $0.did("bob"), to: try $0.list("Noise", of: "alice"))
        },
        .own("lists remove Noise niaj.test", .done) {
          .remove(try $0.did("niaj"), from: try $0.list("Noise", of: "alice"))
        },
        .own("lists remove Noise niaj.test", .unchanged) {
          .remove(try $0.did("niaj"), from: try $0.list("Noise", of: "alice"))
        },
      ]),
    FrontStory(
      "several records of one subject (Q16)",
      [
        .otherAppWrites(follows, about: "niaj", key: 1), .otherAppWrites(follows, about: "niaj", key: 2),
        .otherAppWrites(follows, about: "bob", key: 3), .otherAppWrites(blocks, about: "erin", key: 4),
        .to("unfollow", "niaj", .done), .to("block", "bob", .done), .to("unblock", "erin", .done),
        .to("unblock", "erin", .unchanged),
      ]),
    FrontStory(
      "a session that ended",
      [.to("follow", "niaj", .done), .signOut, .to("follow", "dave", .notAuthorized)]),
    FrontStory(
      "another app blocks while old blocks are remembered",
      [
        .to("block", "carol", .done), .later(.seconds(200)), .otherAppWrites(blocks, about: "niaj", key: 1),
        .later(.seconds(200)), .to("unfollow", "niaj", .unchanged),
        .to(
          "unblock", "niaj", .done),
      ]),
    FrontStory(
      "another app blocks after the same account was asked about",
      [
        .to("unblock", "niaj", .unchanged), .later(.seconds(290)), .to("follow", "niaj", .done),
        .otherAppWrites(blocks, about: "niaj", key: 1), .later(.seconds(290)),
        .to("unblock", "niaj", .done),
      ]),
  ]
}
