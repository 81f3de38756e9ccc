// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Why a stream cannot go on. A broken connection does not end a stream: it connects again.
public struct StreamError: CodedError {
  public static let domain = "stream"

  /// The kind of failure.
  public let code: Code
  /// The host.
  public let host: String
  public let underlying: (any Error)?
  private let words: String

  /// Creates an error; parameters are the properties.
  public init(_ code: Code, host: String, detail: String = "", underlying: (any Error)? = nil) {
    self.code = code
    self.host = host
    self.underlying = underlying
    words = detail
  }

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case unsupported, notAStream, refused, filterIgnored
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it appears in machine-readable output.
    public var description: String { kind.rawValue }

    /// The transport opens no WebSockets, or may not reach the host.
    public static let unsupported = Code(.unsupported)
    /// The host offers neither version of Jetstream.
    public static let notAStream = Code(.notAStream)
    /// The host refused the request for good.
    public static let refused = Code(.refused)
    /// The host sends what it was not asked for.
    public static let filterIgnored = Code(.filterIgnored)
  }

  public var subject: String { host }

  public var detail: String {
    let what =
      switch code {
      case .unsupported: "the stream could not be opened"
      case .notAStream: "it offers no Jetstream, neither its second version nor its first"
      case .refused: "it refused the stream"
      default: "it sends events that it was not asked for, so its filter does not work"
      }
    return what + (words.isEmpty ? "" : ": \(words)")
  }

  public var errorDescription: String? {
    switch code {
    case .unsupported: "Live updates are not possible here."
    default: "The server does not offer live updates."
    }
  }

  public static func == (one: StreamError, other: StreamError) -> Bool {
    one.code == other.code && one.host == other.host && one.words == other.words
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(host)
    hasher.combine(words)
  }
}
