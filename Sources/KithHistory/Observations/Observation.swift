// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The number of an observation; later observations have larger numbers, whatever the clock showed.
public struct ObservationID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Starts at 1.
  public let number: Int64

  /// Wraps a number assigned by a store.
  public init(number: Int64) { self.number = number }

  public var description: String { "\(number)" }

  public static func < (one: ObservationID, other: ObservationID) -> Bool { one.number < other.number }
}

/// The number of a reader of a stream.
public struct StreamReaderID: Sendable, Hashable, CustomStringConvertible {
  public let number: Int64

  /// Wraps a number assigned by a store.
  public init(number: Int64) { self.number = number }

  public var description: String { "\(number)" }
}

/// What was seen of a listing, from where, and the bounds of when it happened.
///
/// A snapshot compares the listing with what was known: what it finds has happened between two times. An event of a stream
/// says itself when it happened.
public struct Observation: Sendable, Hashable {
  /// From where something was seen.
  public enum Source: Sendable, Hashable {
    /// A snapshot of the listing.
    case snapshot
    /// An event of a stream, by the name of the stream.
    case event(stream: String)
  }

  public let id: ObservationID
  public let source: Source
  /// It had not happened at this time; nil if nothing was observed before, as for the accounts
  /// of the first snapshot.
  public let after: Instant?
  /// It had happened at this time.
  public let by: Instant

  /// Creates an observation.
  public init(_ id: ObservationID, _ source: Source, after: Instant?, by: Instant) {
    self.id = id
    self.source = source
    // The clock may have been set back in between.
    self.after = after.map { min($0, by) }
    self.by = by
  }
}
