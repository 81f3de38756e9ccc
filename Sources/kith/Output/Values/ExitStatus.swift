// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithRelationships

/// Exit statuses, from `sysexits.h` if it defines one.
enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  /// The answer is "no".
  case no = 1
  case usage = 64
  case badInput = 65
  case notFound = 67
  case unavailable = 69
  case internalError = 70
  case fileTrouble = 74
  case tryLater = 75
  case brokenProtocol = 76
  case notAllowed = 77
  case hungUp = 129
  case interrupted = 130
  case readerGone = 141
  case terminated = 143

  /// The meaning in help and manual pages.
  var meaning: String {
    switch self {
    case .success: "done, or the answer is yes"
    case .no: "the answer is no, or a question was declined"
    case .usage: "wrong usage"
    case .badInput: "invalid input"
    case .notFound: "no such account"
    case .unavailable: "service unreachable"
    case .internalError: "internal error"
    case .fileTrouble: "cannot read or write a file"
    case .tryLater: "rate limit or points exhausted, or --deadline over: try later"
    case .brokenProtocol: "invalid response from a server"
    case .notAllowed: "not signed in, or not allowed"
    case .hungUp: "hung up"
    case .interrupted: "interrupted"
    case .readerGone: "the reader of the output went away"
    case .terminated: "terminated"
    }
  }

  /// Failures, most severe first: a run with several ends with the first of them.
  private static let gravity: [ExitStatus] = [
    .interrupted, .terminated, .hungUp, .internalError, .notAllowed, .fileTrouble, .brokenProtocol,
    .unavailable,
    .tryLater, .badInput, .notFound,
  ]

  /// The more severe of two statuses.
  func orMoreSevere(_ other: ExitStatus) -> ExitStatus {
    func rank(_ status: ExitStatus) -> Int { Self.gravity.firstIndex(of: status) ?? Self.gravity.count }
    return rank(other) < rank(self) ? other : self
  }

  /// The status of a failed relationship lookup.
  init(_ error: RelationshipError) {
    self =
      switch error.code {
      case .invalidInput: .badInput
      case .actorNotFound, .listNotFound: .notFound
      case .accountNotShown, .accountTakenDown, .accountDeactivated: .unavailable
      case .networkError, .refused: (error.underlying as? XRPCError).map(ExitStatus.init) ?? .unavailable
      case .hiddenByBlock: .notAllowed
      case .rateLimited: .tryLater
      case .invalidResponse: .brokenProtocol
      case .clientNotConfigured: ExitStatus(withoutSession: error.underlying)
      default: .internalError
      }
  }

  /// The status of a failed identity lookup.
  init(_ error: IdentityError) {
    self =
      switch error.code {
      case .notFound: .notFound
      case .unsupportedMethod: .badInput
      case .malformedDocument, .ambiguous: .brokenProtocol
      case .rateLimited: .tryLater
      default:
        (error.underlying as? XRPCError).map(ExitStatus.init)
          ?? (error.underlying as? TransportError).map(ExitStatus.init) ?? .unavailable
      }
  }

  /// The status of a failed call.
  init(_ error: XRPCError) {
    self =
      switch error.code {
      case .invalidRequest: .usage
      case .notSignedIn: ExitStatus(withoutSession: error)
      case .rateLimited: .tryLater
      case .invalidResponse: .brokenProtocol
      case .refused where error.saysNotFound: .notFound
      case .refused where error.hidingBlock != nil: .notAllowed
      case .refused where error.status == 401 || error.status == 403 || error.deniesPermission: .notAllowed
      case .transport: (error.underlying as? TransportError).map(ExitStatus.init) ?? .unavailable
      default: .unavailable
      }
  }

  /// The status of a call without a session: not signed in, or the session file is damaged or locked by
  /// another process.
  ///
  /// - Parameter call: the error of the call that needed the session.
  init(withoutSession call: (any Error)?) {
    self = ((call as? XRPCError)?.underlying as? SessionError).map(ExitStatus.init) ?? .notAllowed
  }

  /// The status of a session error.
  init(_ error: SessionError) {
    self =
      switch error.code {
      case .notSignedIn, .noneChosen, .ended, .refused, .secondFactorRequired, .unverifiedHandle,
        .ambiguousHandle, .plainText:
        .notAllowed
      case .wrongAnswer: .brokenProtocol
      case .unsafeFile, .malformedFile, .newerFile, .fileTrouble: .fileTrouble
      case .locked: .tryLater
      default: (error.underlying as? XRPCError).map(ExitStatus.init) ?? .unavailable
      }
  }

  /// The status of a transport error.
  init(_ error: TransportError) {
    self =
      switch error.code {
      case .malformedResponse, .responseTooLarge: .brokenProtocol
      default: .unavailable
      }
  }
}
