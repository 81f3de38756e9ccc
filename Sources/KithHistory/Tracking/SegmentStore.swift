// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A target number of followers for an actor.
public struct FollowerGoal: Sendable, Hashable {
  /// The target.
  public let followers: Int
  /// The number of followers when the goal was set.
  public let start: Int
  public let since: Instant

  /// Creates a goal.
  public init(_ followers: Int, from start: Int, since: Instant) {
    self.followers = followers
    self.start = start
    self.since = since
  }
}

/// A named predicate that selects accounts.
public struct Segment: Sendable, Hashable {
  /// Letters, digits, `-` and `_`, 64 at most.
  public let name: String
  /// In the `AccountPredicate` syntax.
  public let predicate: String
  /// When it was created.
  public let since: Instant

  /// Creates a segment; nil if the name is invalid. The predicate is not checked here.
  public init?(_ name: String, _ predicate: String, since: Instant) {
    guard Self.isName(name) else { return nil }
    self.name = name
    self.predicate = predicate
    self.since = since
  }

  /// Whether a text is a valid segment name.
  public static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

/// Stores goals, and segments with the numbers of their members over time.
public protocol SegmentStore: Sendable {
  /// The goal of an actor; nil if none is set.
  func goal(of actor: DID) async throws -> FollowerGoal?

  /// Sets a goal; nil removes it.
  func set(_ goal: FollowerGoal?, of actor: DID) async throws

  /// All segments, sorted by name.
  func segments() async throws -> [Segment]

  /// Adds a segment, or replaces the predicate of the one with its name, which deletes its counts.
  func add(_ segment: Segment) async throws

  /// Removes a segment and its counts; returns false if there is no segment of that name.
  @discardableResult
  func removeSegment(named name: String) async throws -> Bool

  /// Stores the number of an actor's followers in a segment; does nothing if there is no segment of that
  /// name.
  func record(_ count: Sample<Int>, of segment: String, for actor: DID) async throws

  /// The numbers of an actor's followers in a segment, oldest first.
  func counts(of segment: String, for actor: DID) async throws -> [Sample<Int>]
}
