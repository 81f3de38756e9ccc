// SPDX-License-Identifier: Apache-2.0

package import KithCore
import KithHistory
import KithRelationships

/// The language of the daemon and of those that ask it: HTTP at a Unix socket, with the version in each path.
///
/// | request | answer |
/// |---|---|
/// | `GET /kith?actor=DID` | a ``DaemonStatus``, whatever the version |
/// | `POST /1/relationships` with a ``DaemonQuestion`` | the ``DaemonAnswers`` |
/// | `GET /1/counts?actor=DID` | ``DaemonCounts`` |
/// | `GET /1/accounts?actor=DID&side=followers` | a line for each account, the latest first: DID, space, key of the record |
///
/// 410 for an account that is not watched, 503 for one about which the daemon is not up to date.
package enum DaemonInterface {
  /// Changes whenever an older program would misread a message.
  package static let version = 1
  /// The most accounts of one question.
  static let mostTargets = 1_000
  /// The most accounts of a listing: they are in memory as a whole.
  static let mostAccounts = 1_000_000
  /// The most bytes of an answer.
  static let mostBytes = 128 << 20
}

/// What the daemon says about itself.
package struct DaemonStatus: Codable, Sendable, Hashable {
  /// The version of the language that it speaks.
  package var interface: Int
  /// The version of the program.
  package var version: String
  /// The AppView that it asks.
  package var appview: String
  /// The number of accounts that it watches.
  package var watched: Int
  /// Since when it is not up to date: not connected, or with events that it has missed; nil if it is up to date.
  package var behindSince: Datetime?
  /// Up to when it has read the stream; nil if it has read nothing yet.
  package var place: Datetime?
  /// Whether the account that was asked about is watched.
  package var isWatched: Bool
}

/// How an account is related to others.
struct DaemonQuestion: Codable, Sendable {
  let actor: DID
  let targets: [DID]
}

/// What the daemon knows of it; the rest is to be asked elsewhere.
struct DaemonAnswers: Codable, Sendable {
  let relationships: [RelationshipInfo]
}

/// The counts of a profile, and what a stream told since they were read.
package struct DaemonCounts: Codable, Sendable, Hashable {
  /// What the profile said; nil if it did not.
  package let followers: Int?
  package let follows: Int?
  /// How many more there are now, or less.
  package let followersSince: Int
  package let followsSince: Int
  /// When the profile was read.
  package let readAt: Datetime

  /// How many there are now; nil if the profile did not say.
  package var followersNow: Int? { followers.map { $0 + followersSince } }
  package var followsNow: Int? { follows.map { $0 + followsSince } }
}
