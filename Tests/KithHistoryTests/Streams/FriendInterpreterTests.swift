// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithHistory

/// What events of a stream mean for friend requests of account 0.
@Suite struct FriendInterpreterTests {
  private static let date = Datetime(at: Instant(5))

  private static func request(
    to subject: Int, _ kind: FriendRequest.Kind = .friend, changing fields: [String: DataValue] = [:]
  ) -> DataValue {
    var record = FriendRequestDraft(kind).record(to: Accounts.did(subject), at: date).object ?? [:]
    for (name, value) in fields { record[name] = value }
    return .object(record)
  }

  private static func key(to subject: Int) -> RecordKey {
    FriendRequest.key(to: Accounts.did(subject)) ?? .literalSelf
  }

  /// The version of a request that an answer names.
  private static func version(of requester: Int, to subject: Int) throws -> RecordVersion {
    try #require(
      FriendRequest(request(to: subject), of: Accounts.did(requester), at: key(to: subject))
    ).version
  }

  private func event(
    _ operation: JetstreamCommit.Operation, _ collection: NSID, _ key: RecordKey, by account: Int,
    at moment: Int = 10
  ) -> JetstreamEvent {
    StreamScene.event(.commit(JetstreamCommit(operation, collection, key)), of: account, at: moment)
  }

  private func answer(
    _ operation: (DataValue) -> JetstreamCommit.Operation, by account: Int, to requester: Int,
    asked subject: Int? = nil, at moment: Int = 10
  ) throws -> JetstreamEvent {
    let version = try Self.version(of: requester, to: subject ?? account)
    let key = try #require(FriendAnswer.key(accepting: version))
    let record = FriendAnswer.record(accepting: version, at: Self.date)
    return event(operation(record), FriendAnswer.collection, key, by: account, at: moment)
  }

  /// What is told of events, with the numbers of accounts.
  private func told(_ events: JetstreamEvent...) -> [String] {
    var interpreter = StreamInterpreter(of: [HistoryListing(.followers, of: Accounts.did(0))])
    var reading = StreamInterpreter.Reading()
    for event in events { interpreter.read(event, into: &reading) }
    return reading.friends.map { $0.text { "\(number(of: $0))" } }
  }

  // MARK: Events

  @Test(arguments: FriendRequest.Kind.allCases)
  func requestsConcernBothSides(kind: FriendRequest.Kind) {
    let collection = FriendRequest.collection
    #expect(
      told(
        event(.create(Self.request(to: 0, kind)), collection, Self.key(to: 0), by: 1),
        event(.create(Self.request(to: 2, kind)), collection, Self.key(to: 2), by: 0),
        event(.create(Self.request(to: 2, kind)), collection, Self.key(to: 2), by: 1),
        event(.update(Self.request(to: 0, kind)), collection, Self.key(to: 0), by: 1),
        event(.delete, collection, Self.key(to: 0), by: 1),
        event(.delete, collection, Self.key(to: 2), by: 0),
        event(.delete, collection, Self.key(to: 2), by: 1))
        == [
          "1 requested 0 \(kind.rawValue)", "0 requested 2 \(kind.rawValue)",
          "1 requested 0 \(kind.rawValue)",
          "1 withdrew 0", "0 withdrew 2",
        ])
  }

  @Test func acceptancesConcernBothSides() throws {
    let told = told(
      try answer({ .create($0) }, by: 1, to: 0), try answer({ .create($0) }, by: 0, to: 2),
      try answer({ .create($0) }, by: 1, to: 2), try answer({ _ in .delete }, by: 1, to: 0),
      try answer({ _ in .delete }, by: 0, to: 2), try answer({ _ in .delete }, by: 1, to: 2))
    #expect(told == ["1 accepted 0", "0 accepted 2", "1 revoked 0", "0 revoked 2"])
  }

  @Test func aDeletedAnswerThatWasNeverReadIsNotTold() throws {
    #expect(told(try answer({ _ in .delete }, by: 1, to: 0)) == [])
  }

  @Test func policiesOfWatchedActorsAreTold() {
    func record(_ audience: FriendPolicy.Audience) -> DataValue {
      FriendPolicy(whoMayAsk: audience).record(replacing: nil, at: Self.date)
    }
    let collection = FriendPolicy.collection
    #expect(
      told(
        event(.create(record(.mutuals)), collection, .literalSelf, by: 0),
        event(.update(record(.nobody)), collection, .literalSelf, by: 0),
        event(.update(.string("x")), collection, .literalSelf, by: 0),
        event(.delete, collection, .literalSelf, by: 0),
        event(.create(record(.mutuals)), collection, .literalSelf, by: 1),
        event(.create(record(.mutuals)), collection, RecordKey(number: 1), by: 0))
        == ["0 policy mutuals", "0 policy none", "0 policy -", "0 policy -"])
  }

  /// All records of a repository that broke come again.
  @Test func whatComesAgainAfterABreakIsNotNew() throws {
    let collection = FriendRequest.collection
    let new = Self.request(
      to: 0, changing: ["createdAt": .string(Datetime(at: Instant(30)).description)])
    #expect(
      told(
        .sync(1, at: 20), event(.create(Self.request(to: 0)), collection, Self.key(to: 0), by: 1, at: 21),
        try answer({ .create($0) }, by: 1, to: 0, at: 22),
        event(.delete, collection, Self.key(to: 0), by: 1, at: 23),
        event(.create(new), collection, Self.key(to: 0), by: 1, at: 30),
        try answer({ _ in .delete }, by: 1, to: 0, at: 31)) == [
          "1 withdrew 0", "1 requested 0 friend", "1 revoked 0",
        ])
  }

  // MARK: Hostile records

  @Test(arguments: [
    ("another subject than the key", request(to: 2), key(to: 0)),
    ("a key that is not a DID", request(to: 0), RecordKey(number: 1)),
    ("an unknown kind", request(to: 0, changing: ["kind": .string("marry")]), key(to: 0)),
    ("another type", request(to: 0, changing: ["$type": .string("app.bsky.graph.follow")]), key(to: 0)),
    ("a subject of another type", request(to: 0, changing: ["subject": .integer(1)]), key(to: 0)),
    ("an end that cannot be read", request(to: 0, changing: ["expiresAt": .string("soon")]), key(to: 0)),
    ("not an object", .array([request(to: 0)]), key(to: 0)),
    ("a request to itself", request(to: 1), key(to: 1)),
  ])
  func aRecordIsNotARequest(reason: String, record: DataValue, key: RecordKey) {
    #expect(told(event(.create(record), FriendRequest.collection, key, by: 1)) == [], "\(reason)")
  }

  @Test func aRequestThatBecomesUnreadableIsWithdrawn() {
    let told = told(
      event(.update(.string("x")), FriendRequest.collection, Self.key(to: 0), by: 1),
      event(.update(nil), FriendRequest.collection, Self.key(to: 0), by: 2))
    #expect(told == ["1 withdrew 0", "2 withdrew 0"])
  }

  @Test func anAnswerMustBeToARequestOfThisAccount() throws {
    // A request of account 0 to account 2 cannot be accepted by account 1, and not by its own author.
    #expect(told(try answer({ .create($0) }, by: 1, to: 0, asked: 2)) == [])
    #expect(told(try answer({ .create($0) }, by: 0, to: 0, asked: 2)) == [])
    let version = try Self.version(of: 0, to: 1)
    let record = FriendAnswer.record(accepting: version, at: Self.date)
    #expect(told(event(.create(record), FriendAnswer.collection, RecordKey(number: 1), by: 1)) == [])
    let key = try #require(FriendAnswer.key(accepting: version))
    let follow = ATURI(authority: .did(Accounts.did(0)), collection: .follow, recordKey: RecordKey(number: 1))
    var fields = try #require(record.object)
    for uri in ["at://x", "", follow.description, "\(version.uri)/more"] {
      fields["request"] = ["uri": .string(uri), "cid": .string(version.cid.description)]
      #expect(told(event(.create(.object(fields)), FriendAnswer.collection, key, by: 1)) == [])
    }
  }

  @Test func aHugeRecordIsKeptAsWhatIsReadOfIt() throws {
    let record = Self.request(to: 0, changing: ["more": .string(String(repeating: "x", count: 1 << 20))])
    var events: [FriendEvent] = []
    var interpreter = FriendInterpreter(of: [Accounts.did(0)])
    interpreter.read(
      event(.create(record), FriendRequest.collection, Self.key(to: 0), by: 1), isAgain: false, into: &events)
    guard case .requested(let request)? = events.first?.kind else {
      Issue.record("not read")
      return
    }
    #expect(try JSONCoding.encode(request).count < 1_000)
  }

  @Test func memoryForAnswersIsBounded() throws {
    var interpreter = FriendInterpreter(of: [Accounts.did(0)])
    let empty = interpreter
    var events: [FriendEvent] = []
    for _ in 0..<2 {
      interpreter.read(try answer({ .create($0) }, by: 1, to: 0), isAgain: false, into: &events)
    }
    #expect(interpreter != empty)
    interpreter.read(try answer({ _ in .delete }, by: 1, to: 0), isAgain: false, into: &events)
    #expect(interpreter == empty)
  }
}
