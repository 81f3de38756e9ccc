// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore

/// An error of reading or writing a history.
public struct HistoryError: CodedError {
  public static let domain = "history"

  /// The kind of failure.
  public let code: Code
  /// The actor concerned, or the host of a stream.
  public let subject: String
  public let detail: String

  init(_ code: Code, subject: String, _ detail: String) {
    self.code = code
    self.subject = subject
    self.detail = detail
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable { case inUse, noSnapshot, known, replaced }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    public static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind in machine output.
    public var description: String { kind.rawValue }

    /// A snapshot of the listing is being taken.
    public static let inUse = Code(.inUse)
    /// There is no complete snapshot of the actor.
    public static let noSnapshot = Code(.noSnapshot)
    /// The history has observations of the actor already.
    public static let known = Code(.known)
    /// Another reader of a stream follows the listings now.
    public static let replaced = Code(.replaced)
  }

  /// Whether a snapshot is in progress.
  public var isTransient: Bool { code == .inUse }

  public var errorDescription: String? {
    switch code {
    case .inUse: "A snapshot is in progress; try again when it has finished."
    case .noSnapshot: "There is no snapshot of this account yet."
    case .known: "The history has observations of this account already."
    case .replaced: "Another process follows these accounts now."
    default: detail.asSentence
    }
  }

  /// A snapshot of the listing is being taken.
  public static func inUse(_ listing: HistoryListing) -> HistoryError {
    HistoryError(
      .inUse, subject: listing.actor.description,
      "a snapshot of \(listing.side.rawValue) is in progress; try again when it has finished")
  }

  /// There is no complete snapshot of the actor.
  public static func noSnapshot(of actor: DID) -> HistoryError {
    HistoryError(.noSnapshot, subject: actor.description, "no snapshot yet")
  }

  /// The history has observations of the actor already.
  package static func known(_ actor: DID) -> HistoryError {
    HistoryError(
      .known, subject: actor.description, "the history has observations of this account already")
  }

  /// The reader of a stream follows nothing any more.
  package static func replaced(_ reader: StreamReaderID, at host: String) -> HistoryError {
    HistoryError(
      .replaced, subject: host,
      "another process follows these accounts now (reader \(reader) has none any more)")
  }
}
