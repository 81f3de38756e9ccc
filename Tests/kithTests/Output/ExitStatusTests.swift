// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithOperations
@testable import KithRelationships
@testable import KithWriting
@testable import kith

@Suite struct ExitStatusTests {
  /// Most severe first, in the order of DESIGN.
  private static let order: [Int32] = [130, 143, 129, 70, 77, 74, 76, 69, 75, 65, 67]

  @Test func theMostSevereStatusWinsInEitherOrder() throws {
    for (position, number) in Self.order.enumerated() {
      let severe = try #require(ExitStatus(rawValue: number))
      for other in Self.order[position...] {
        let milder = try #require(ExitStatus(rawValue: other))
        #expect(severe.orMoreSevere(milder) == severe)
        #expect(milder.orMoreSevere(severe) == severe)
      }
      #expect(ExitStatus.success.orMoreSevere(severe) == severe)
      #expect(severe.orMoreSevere(.no) == severe)
    }
  }

  @Test(arguments: [
    (Ending.done, kith.ExitStatus.success), (.declined, .no), (.partly(.notFound), .notFound),
    (.interrupted(.failed(.tryLater)), .tryLater), (.interrupted(.cancelled), .interrupted),
    (.interrupted(.closed), .readerGone),
  ])
  func aCommandHasTheStatusOfItsEnding(ending: Ending, status: kith.ExitStatus) {
    #expect(kith.ExitStatus(ending) == status)
  }

  @Test(arguments: [
    (RelationshipError.Code.invalidInput, kith.ExitStatus.badInput), (.actorNotFound, .notFound),
    (.listNotFound, .notFound), (.hiddenByBlock, .notAllowed),
    (.networkError, .unavailable), (.refused, .unavailable), (.rateLimited, .tryLater),
    (.invalidResponse, .brokenProtocol), (.clientNotConfigured, .notAllowed),
  ])
  func everyLookupErrorHasItsStatus(code: RelationshipError.Code, status: kith.ExitStatus) {
    #expect(kith.ExitStatus(FailureKind(RelationshipError(code, detail: ""))) == status)
  }

  /// Credentials that always fail.
  private struct NoCredentials: CredentialSource {
    let service: ServiceURL
    let error: SessionError

    func token() throws -> SessionToken { throw error }
    func token(after refused: SessionToken, isExpired: Bool) throws -> SessionToken { throw error }
  }

  /// A missing session and a temporarily unavailable one have different statuses.
  @Test(arguments: [
    (SessionError.Code.ended, kith.ExitStatus.notAllowed), (.notSignedIn, .notAllowed),
    (.malformedFile, .fileTrouble), (.newerFile, .fileTrouble), (.locked, .tryLater),
  ])
  func aLookupWithoutASessionHasTheStatusOfTheSession(
    code: SessionError.Code, status: kith.ExitStatus
  ) async throws {
    let service = try ServiceURL(parsing: "https://pds.test")
    let credentials = NoCredentials(
      service: service, error: SessionError(code, subject: "alice.test", detail: "why"))
    let client = XRPCClient(
      service: service, transport: ScriptedTransport([]), time: ManualClock(.skipping).timeSource()
    ).signed(by: credentials)
    let parameters = App.Bsky.Actor.GetProfile.Parameters(actor: .did(Accounts.did(1)))
    let call = await #expect(throws: XRPCError.self) {
      try await client.query(App.Bsky.Actor.GetProfile.self, parameters)
    }
    #expect(call.map { kith.ExitStatus(FailureKind(RelationshipError($0))) } == status)
    // A change that needs it ends with the same status.
    let repository = PDSRepository(account: Accounts.did(1), pds: client)
    let change = await #expect(throws: RepositoryError.self) {
      try await repository.commit([ChangeSamples.create(1)])
    }
    #expect(change.map { CommandFault($0).status } == status)
    #expect(change.map { kith.ExitStatus(FailureKind($0)) } == status)
  }

  /// With any HTTP status that a server may choose.
  @Test(arguments: [
    (400, "AccountTakedown"), (400, "InvalidToken"), (401, "AuthMissing"), (403, "Forbidden"),
  ])
  func aForbiddenChangeIsNotAllowed(status: Int, name: String) async throws {
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"),
      transport: ScriptedTransport { _ in .xrpcError(status, name, "no") },
      time: ManualClock(.skipping).timeSource())
    let repository = PDSRepository(account: Accounts.did(1), pds: client)
    let change = await #expect(throws: RepositoryError.self) {
      try await repository.commit([ChangeSamples.create(1)])
    }
    #expect(change.map { CommandFault($0).status } == .notAllowed)
  }

  @Test func aTallyReportsTheFirstErrorAndTheirNumber() {
    var tally = FailureTally()
    #expect(Message(tally, among: 3) == nil)
    tally.add(RelationshipError(.invalidInput, detail: "no account"))
    #expect(Message(tally, among: 3) == nil)
    #expect(tally.kind == .invalidInput)
    let error = RelationshipError(.rateLimited, subject: "bob.test", detail: "asked too often")
    let first = Message(error)
    tally.add(error)
    #expect(Message(tally, among: 1) == first)
    #expect(Message(tally, among: 3) == .lookupsFailed(1, of: 3, first: first))
    tally.add(RelationshipError(.networkError, subject: "bob.test", detail: "no connection"))
    #expect(tally.kind == .unavailable)
    #expect(Message(tally, among: 3) == .lookupsFailed(2, of: 3, first: first))
  }

  @Test(arguments: [
    (Duration.milliseconds(1), "1 s"), (.seconds(119), "119 s"), (.seconds(121), "3 min"),
    (.seconds(7_199), "120 min"), (.seconds(86_400), "24 h"), (.zero, "1 s"),
  ])
  func waitsAreRoundedUp(wait: Duration, text: String) {
    #expect(DurationText.rounded(wait) == text)
  }

  @Test func secondsHaveThreeDecimals() {
    #expect(DurationText.seconds(.milliseconds(12_034)) == "12.034")
    #expect(DurationText.seconds(.microseconds(999)) == "0.000")
  }

  @Test(
    arguments: [
      ("chek", "chek", "check"), ("xprc query", "xprc", "xrpc"), ("help chekc", "chekc", "check"),
      ("lists creat Noise --purpose mod", "creat", "create"), ("jobs shwo 1", "shwo", "show"),
      ("accounts frobnicate", "frobnicate", nil),
    ] as [(String, String, String?)])
  func anUnknownCommandGetsASuggestion(line: String, word: String, suggestion: String?) {
    let words = line.split(separator: " ").map(String.init)
    let message = CommandSuggestion(words, of: Kith.self)?.message
    #expect(message?.code == "unknownCommand")
    #expect(
      message?.fields == [OutputField("word", .string(word)), OutputField("suggestion", .text(suggestion))])
  }

  /// What people type first leads to a command that there is.
  @Test(arguments: CommandSuggestion.synonyms.values.sorted())
  func aSynonymLeadsToACommand(line: String) {
    #expect(CommandSuggestion(line.split(separator: " ").map(String.init), of: Kith.self) == nil)
  }

  @Test(arguments: [
    "close-friends", "compare", "contacts", "import-contacts", "inbox", "nearby", "notify", "pack",
    "requests",
    "settings", "tag", "triage", "who-unfollowed-me", "bookmark", "dm", "hashtag", "message", "topics",
    "trending",
  ])
  func aFirstWordLeadsSomewhere(word: String) throws {
    let message = try #require(CommandSuggestion([word], of: Kith.self)?.message)
    #expect(
      !message.fields.contains(OutputField("suggestion", .null))
        || CommandSuggestion.elsewhere.contains { $0.words.contains(word) })
  }

  /// The nearest name of an option can mean something else altogether.
  @Test(arguments: [
    ("--note", "--mutes", false), ("--mute", "--mutes", true), ("--yess", "--yes", false),
    ("--folow", "--follow", true), ("--from-file", "--from", false), ("--dry-rum", "--dry-run", true),
  ])
  func onlyATypoOfAnOptionIsCorrected(typed: String, suggested: String, isKept: Bool) {
    let (start, guess) = ("Error: Unknown option '\(typed)'", ". Did you mean '\(suggested)'?")
    #expect(
      OptionGuess.corrected("\(start)\(guess)\nUsage: kith")
        == "\(start)\(isKept ? guess : "")\nUsage: kith")
  }

  @Test(arguments: [
    "", "check", "check alice.test", "--format", "help", "lists", "lists show Noise", "jobs --all",
  ])
  func aKnownCommandGetsNoSuggestion(line: String) {
    let words = line.split(separator: " ").map(String.init)
    #expect(CommandSuggestion(words, of: Kith.self) == nil)
  }
}
