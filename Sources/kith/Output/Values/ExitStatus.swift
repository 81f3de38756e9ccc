// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithWriting

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
    case .no: "the result is negative, or a question was declined"
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

  /// The status of a kind of failure.
  init(_ kind: FailureKind) {
    self =
      switch kind {
      case .usage: .usage
      case .invalidInput: .badInput
      case .notFound: .notFound
      case .unavailable: .unavailable
      case .internalError: .internalError
      case .fileTrouble: .fileTrouble
      case .tryLater: .tryLater
      case .invalidResponse: .brokenProtocol
      case .notAllowed: .notAllowed
      case .interrupted: .interrupted
      }
  }

  /// The status of a command whose operation ended so.
  init(_ ending: Ending) {
    self =
      switch ending {
      case .done: .success
      case .declined: .no
      case .partly(let kind), .interrupted(.failed(let kind)): ExitStatus(kind)
      case .interrupted(.cancelled): .interrupted
      case .interrupted(.closed): .readerGone
      }
  }

  /// The status of a run of a job, without failures of individual items.
  init(_ end: JobEnd) { self.init(Ending(end)) }

  /// The status of the answer of a check.
  init(_ answer: CheckVerdict.Answer) {
    self =
      switch answer {
      case .yes, .answered: .success
      case .no: .no
      case .notFound: .notFound
      case .failed(let kind): ExitStatus(kind)
      }
  }

  /// Failures, most severe first: a run with several ends with the first of them.
  private static let gravity: [ExitStatus] =
    [.interrupted, .terminated, .hungUp] + FailureKind.gravity.dropFirst().map(ExitStatus.init)

  /// The more severe of two statuses.
  func orMoreSevere(_ other: ExitStatus) -> ExitStatus {
    func rank(_ status: ExitStatus) -> Int { Self.gravity.firstIndex(of: status) ?? Self.gravity.count }
    return rank(other) < rank(self) ? other : self
  }
}
