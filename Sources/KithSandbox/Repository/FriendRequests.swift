// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithCrypto
internal import KithLexicons

/// The initial friend requests, answers and policies in the repositories of the cast.
///
/// Carol and Alice are friends. Bob, Dave and Mallory have asked Alice, and so has Erin, but Alice blocks her; Grace's request
/// has ended, and Judy asks for permission to follow. Alice has asked Niaj. Grace takes requests of mutuals only, and wants to
/// be asked before she is followed.
enum FriendRequests {
  private typealias Lexicon = Org.Kith.Temp.Graph

  private struct Request {
    let requester: NamedAccount
    let subject: NamedAccount
    var kind = Lexicon.FriendRequest.Kind.friend
    var lifetime: UInt64?
    var isAccepted = false
  }

  private static let requests = [
    Request(requester: .carol, subject: .alice, isAccepted: true), Request(requester: .bob, subject: .alice),
    Request(requester: .dave, subject: .alice), Request(requester: .mallory, subject: .alice),
    Request(requester: .erin, subject: .alice), Request(requester: .grace, subject: .alice, lifetime: 7),
    Request(requester: .judy, subject: .alice, kind: .follow), Request(requester: .alice, subject: .niaj),
  ]

  private static let policies: [NamedAccount: Lexicon.FriendPolicy] = [
    .grace: Lexicon.FriendPolicy(whoMayAsk: .mutuals, requireApproval: true, createdAt: date(0))
  ]

  /// The records of one of the cast, by collection, each by ascending key.
  static func records(of author: NamedAccount, in network: SandboxNetwork) -> [NSID: [RecordTable.Entry]] {
    var records: [NSID: [RecordTable.Entry]] = [:]
    func add(_ record: (key: RecordKey, value: DataValue)?, to collection: NSID) {
      guard let record else { return }
      records[collection, default: []].append(
        RecordTable.Entry(key: record.key, record: .written(WrittenRecord(record.value))))
    }
    for (place, request) in requests.enumerated() {
      if request.requester == author {
        add(Self.record(request, place, in: network), to: Lexicon.FriendRequest.nsid)
      }
      if request.subject == author, request.isAccepted {
        add(answer(to: request, place, in: network), to: Lexicon.FriendAnswer.nsid)
      }
    }
    if let policy = policies[author], let value = try? DataValue(encoding: policy) {
      add((.literalSelf, value), to: Lexicon.FriendPolicy.nsid)
    }
    return records.mapValues { $0.sorted { $0.key.description < $1.key.description } }
  }

  /// The request of a generated account to Alice, if the network is to have one.
  static func records(ofStranger account: Int, in network: SandboxNetwork) -> [NSID: [RecordTable.Entry]] {
    let place = account - NamedAccount.allCases.count
    guard place < network.configuration.requests,
      let (key, value) = record(Request(requester: .alice, subject: .alice), place % 300, in: network)
    else { return [:] }
    return [
      Lexicon.FriendRequest.nsid: [RecordTable.Entry(key: key, record: .written(WrittenRecord(value)))]
    ]
  }

  private static func record(
    _ request: Request, _ place: Int, in network: SandboxNetwork
  ) -> (key: RecordKey, value: DataValue)? {
    let subject = network.dids[request.subject.rawValue]
    let record = Lexicon.FriendRequest(
      subject: subject, kind: request.kind, createdAt: date(place),
      expiresAt: request.lifetime.map { date(place + Int($0)) })
    guard let key = RecordKey(subject.description), let value = try? DataValue(encoding: record) else {
      return nil
    }
    return (key, value)
  }

  private static func answer(
    to request: Request, _ place: Int, in network: SandboxNetwork
  ) -> (key: RecordKey, value: DataValue)? {
    guard let (key, value) = record(request, place, in: network) else { return nil }
    let uri = network.uri(
      of: SandboxRecordName(collection: Lexicon.FriendRequest.nsid, key: key), in: request.requester.rawValue)
    let cid = value.contentID
    let answer = Lexicon.FriendAnswer(
      request: Com.Atproto.Repo.StrongRef(uri: uri, cid: cid), createdAt: date(place + 1))
    guard let answerKey = RecordKey(Base32.encode(SHA256.hash(of: Array("\(uri)\n\(cid)".utf8)))),
      let content = try? DataValue(encoding: answer)
    else { return nil }
    return (answerKey, content)
  }

  private static func date(_ day: Int) -> Datetime {
    Datetime(at: Identities.moment(UInt64(day + 20) * 86_400_000_000))
  }
}
