// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWording

/// Why a page or an answer cannot be given.
struct DashboardError: Error, Hashable {
  enum Code: String, Sendable {
    /// There is no such page.
    case noSuchPage
    /// The account that the address names is not signed in.
    case notSignedIn
    /// A parameter, a field or a body is not what it has to be.
    case invalidRequest
  }

  let code: Code
  /// What it is about, as it was given.
  let subject: String
  /// A sentence that says what to do.
  let detail: String

  init(_ code: Code, _ subject: String, _ detail: String) {
    (self.code, self.subject, self.detail) = (code, subject, detail)
  }

  static func invalid(_ name: String, _ detail: String) -> DashboardError {
    DashboardError(.invalidRequest, name, detail)
  }

  var status: Int {
    switch code {
    case .noSuchPage, .notSignedIn: 404
    case .invalidRequest: 400
    }
  }
}

/// What is said of an error, whatever its type.
struct Failure {
  let status: Int
  /// One word for programs.
  let code: String
  let sentence: String
  /// The account that has to sign in again; nil if that is not the way out.
  let signIn: ATIdentifier?

  init(_ error: any Error) {
    signIn = Self.session(in: error).flatMap { $0.asksForSignIn ? $0.account : nil }
    if let error = error as? DashboardError {
      (status, code) = (error.status, error.code.rawValue)
      sentence = error.subject.isEmpty ? error.detail : "\(error.subject): \(error.detail)"
      return
    }
    if let fault = error as? PictureFault {
      (status, code, sentence) = (Self.status(of: fault.code), fault.code.rawValue, fault.description)
      return
    }
    let kind = FailureKind(any: error)
    (status, code, sentence) = (Self.status(of: kind), kind.rawValue, Wording.words(for: error))
  }

  /// What is wrong with a session, if that is behind an error.
  private static func session(in error: any Error) -> SessionError? {
    var cause: (any Error)? = error
    // Causes have causes, but not many.
    for _ in 0..<8 {
      if let found = cause as? SessionError { return found }
      cause = (cause as? any CodedError)?.underlying
    }
    return nil
  }

  private static func status(of kind: FailureKind) -> Int {
    switch kind {
    case .usage, .invalidInput: 400
    case .notAllowed: 403
    case .notFound: 404
    case .tryLater, .interrupted: 503
    case .unavailable, .invalidResponse: 502
    case .fileTrouble, .internalError: 500
    }
  }

  private static func status(of code: PictureFault.Code) -> Int {
    switch code {
    case .notAllowed: 403
    case .notFound: 404
    default: 502
    }
  }

  var fields: [OutputField] {
    [OutputField("code", .string(code)), OutputField("message", .string(sentence))]
  }
}
