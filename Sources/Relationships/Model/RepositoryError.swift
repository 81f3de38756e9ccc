// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Why a change did not happen, or is not known to have happened.
public struct RepositoryError: CodedError {
  public static let domain = "repository"

  /// The kind of failure.
  public let code: Code
  /// What happened, as a half-sentence that names the way out where there is one; never a secret.
  public let detail: String
  /// How long to wait, where the server said so.
  public let retryAfter: Duration?
  /// What lies underneath: an `XRPCError`, a `SessionError`.
  public let underlying: (any Error)?

  /// Puts an error together.
  public init(_ code: Code, detail: String, retryAfter: Duration? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.detail = detail
    self.retryAfter = retryAfter
    self.underlying = underlying
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case refused, taken, partial, tooLarge, inDoubt, rateLimited, unavailable, notAuthorized
      case invalidResponse
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// The server refuses these writes; nothing was written, and the same would be refused again.
    public static let refused = Code(.refused)
    /// Another record is under a key at which one was to be made; nothing was written, and never will be under it.
    public static let taken = Code(.taken)
    /// Some of the records are there and some are not: they came by different commits, one of which was late, or
    /// somebody has removed some since.
    public static let partial = Code(.partial)
    /// More writes or bytes than this server takes in one commit; nothing was written. Fewer may pass.
    public static let tooLarge = Code(.tooLarge)
    /// Sent, and no certain answer came: it may have happened, or may yet happen.
    public static let inDoubt = Code(.inDoubt)
    /// Asked too often, or the budget of points is used up; nothing was written.
    public static let rateLimited = Code(.rateLimited)
    /// The server could not be reached or failed before it took the change; nothing was written.
    public static let unavailable = Code(.unavailable)
    /// Not signed in any more, or not allowed; nothing was written.
    public static let notAuthorized = Code(.notAuthorized)
    /// An answer that breaks the protocol, to a question that changes nothing.
    public static let invalidResponse = Code(.invalidResponse)
  }
}
