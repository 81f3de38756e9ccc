// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The initial records of other apps in the repositories of the cast: follows, what decides about them, and friend
/// requests.
///
/// Alice follows most of her Tangled follows on Bluesky, too, but not Heidi; Oscar, one of them, is deactivated. On Cosmik
/// she also follows a collection. Grace has to approve her followers on Weaver: she has accepted Judy, but not
/// Alice.
enum OtherApps {
  private static let follows: [(collection: String, pairs: [(NamedAccount, NamedAccount)])] = [
    (
      "sh.tangled.graph.follow",
      [
        (.alice, .bob), (.alice, .carol), (.alice, .heidi), (.alice, .oscar), (.bob, .alice), (.carol, .bob),
        (.dave, .alice), (.heidi, .alice), (.bob, .carol),
      ]
    ),
    ("social.grain.graph.follow", [(.alice, .grace), (.grace, .alice), (.judy, .grace)]),
    ("so.sprk.graph.follow", [(.bob, .judy)]),
    ("network.cosmik.follow", [(.alice, .bob), (.judy, .alice)]),
    ("sh.weaver.graph.follow", [(.alice, .grace), (.judy, .grace), (.grace, .judy)]),
  ]

  /// The records of one of the first accounts, by collection, each by ascending key.
  static func records(of account: Int, in network: SandboxNetwork) -> [NSID: [RecordTable.Entry]] {
    guard let author = NamedAccount(rawValue: account) else {
      return FriendRequests.records(ofStranger: account, in: network)
    }
    var records: [NSID: [RecordTable.Entry]] = [:]
    for (collection, pairs) in follows {
      for (place, pair) in pairs.enumerated() where pair.0 == author {
        add(
          record([("subject", .string(network.dids[pair.1.rawValue].description))], collection, place), place)
      }
    }
    func add(_ value: DataValue, _ place: Int, key: RecordKey? = nil) {
      guard let collection = value.type.flatMap({ NSID($0) }) else { return }
      records[collection, default: []].append(
        RecordTable.Entry(key: key ?? self.key(place), record: .written(WrittenRecord(value))))
    }
    switch author {
    case .alice:
      let shelf = "at://\(network.dids[NamedAccount.grace.rawValue])/network.cosmik.collection/3jui7kd54zh2y"
      add(record([("subject", .string(shelf))], "network.cosmik.follow", 10), 10)
    case .grace:
      add(record([("requireApproval", .bool(true))], "sh.weaver.graph.followGate", 0), 0, key: .literalSelf)
      let judy = Self.records(of: NamedAccount.judy.rawValue, in: network)
      for (collection, entries) in judy where collection.description == "sh.weaver.graph.follow" {
        for entry in entries {
          let uri = network.uri(
            of: SandboxRecordName(collection: collection, key: entry.key), in: NamedAccount.judy.rawValue)
          let reference: DataValue = [
            "uri": .string(uri.description),
            "cid": .string(network.content(of: entry.record).cid.description),
          ]
          add(record([("follow", reference)], "sh.weaver.graph.followAccept", 1), 1)
        }
      }
    default: break
    }
    return records.merging(FriendRequests.records(of: author, in: network)) { $0 + $1 }
  }

  private static func key(_ place: Int) -> RecordKey { Identities.key(microseconds: time(of: place)) }

  private static func time(of place: Int) -> UInt64 { UInt64(place + 1) * 86_400_000_000 }

  private static func record(
    _ fields: [(String, DataValue)], _ collection: String, _ place: Int
  ) -> DataValue {
    var object = DataObject(fields.reversed())
    object["$type"] = .string(collection)
    object["createdAt"] = .string(Datetime(at: Identities.moment(time(of: place))).description)
    return .object(object)
  }
}
