// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport

@testable import KithRelationships

/// Relationships of every kind, common and unusual.
enum PairSamples {
  private static let follow = "app.bsky.graph.follow"
  private static let block = "app.bsky.graph.block"

  /// Accounts of both methods, so that packed and unpacked DIDs form pairs.
  static func account(_ number: Int) throws -> DID {
    switch number % 4 {
    case 2: try DID(parsing: "did:web:user\(number).example.com")
    case 3: try DID(parsing: "did:plc:short\(number)")
    default: Accounts.did(number)
    }
  }

  /// URIs of an edge from an owner: the common ones first, then those that cannot be packed.
  static func addresses(of owner: DID, collection: String) throws -> [ATURI] {
    let other = collection == follow ? block : follow
    return try [
      "at://\(owner)/\(collection)/3jui7kd54zh2y", "at://\(owner)/\(collection)/2222222222222",
      "at://\(owner)/\(collection)/jzzzzzzzzzzzz", "at://\(owner)/\(collection)/self",
      "at://\(owner)/\(collection)/kzzzzzzzzzzzz", "at://\(owner)/\(collection)/3jui7kd54zh2yy",
      "at://\(owner)/\(collection)/3JUI7KD54ZH2Y", "at://alice.test/\(collection)/3jui7kd54zh2y",
      "at://\(Accounts.did(9_999))/\(collection)/3jui7kd54zh2y", "at://\(owner)/\(other)/3jui7kd54zh2y",
      "at://\(owner)/\(collection)", "at://\(owner)", "at://\(collection)/\(other)/3jui7kd54zh2y",
    ]
    .map { try ATURI(parsing: $0) }
  }

  /// Both forms of an edge by list (Q6).
  static func lists(of owner: DID) throws -> [ATURI] {
    try [
      "at://\(owner)/app.bsky.graph.listblock/3jui7kd54zh2y",
      "at://\(Accounts.did(77))/app.bsky.graph.list/3jui7kd54zh2z",
    ]
    .map { try ATURI(parsing: $0) }
  }

  static let moments = [
    "2024-05-17T10:00:00.000Z", "1969-12-31T23:59:59.999Z", "0000-01-01T00:00:00.000Z",
    "2024-05-17T10:00:00Z", "2024-05-17T10:00:00.123456Z", "2024-05-17T12:00:00.5+02:00",
  ]

  /// A random relationship of two accounts; half of its edges are missing.
  static func info(
    _ actor: DID, _ target: DID, _ random: inout some RandomNumberGenerator
  ) throws -> RelationshipInfo {
    func pick(_ choices: [ATURI]) -> ATURI? {
      Bool.random(using: &random) ? choices.randomElement(using: &random) : nil
    }
    return RelationshipInfo(
      actor: actor, target: target, following: pick(try addresses(of: actor, collection: follow)),
      followedBy: pick(try addresses(of: target, collection: follow)),
      blocking: pick(try addresses(of: actor, collection: block)),
      blockedBy: pick(try addresses(of: target, collection: block)),
      blockingByList: pick(try lists(of: actor)), blockedByList: pick(try lists(of: target)),
      muted: [true, false, nil].randomElement(using: &random) ?? nil,
      checkedAt: try Datetime(parsing: moments.randomElement(using: &random) ?? ""), source: .cache)
  }
}

extension RelationshipInfo {
  /// The same relationship as seen by the other account: mutes belong to the actor.
  var fromTheOtherSide: RelationshipInfo {
    RelationshipInfo(
      actor: target, target: actor, following: followedBy, followedBy: following, blocking: blockedBy,
      blockedBy: blocking, blockingByList: blockedByList, blockedByList: blockingByList, checkedAt: checkedAt,
      source: source)
  }
}
