// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
package import KithOperations
import KithRelationships
import KithStore
import KithWriting

/// Messages for errors of the libraries: their description, and a hint if the command knows a remedy.
extension Message {
  init(_ error: some CodedError) {
    // Invalid input is reported as input, not as a failed lookup.
    if error is RelationshipError, let input = error.underlying as? InputError {
      self.init(input)
      return
    }
    if let error = error as? OperationError {
      self.init(error)
      return
    }
    var text = error.description
    var remedy: String?
    switch error {
    case let error as HistoryError where error.code == .noSnapshot:
      remedy = "take the first with kith snapshot \(error.subject)"
    case let error as SessionError:
      text += error.hint
      remedy = (error.underlying as? SecureFolderError)?.sessionRemedy
    case let error as JobError: text = error.sentence
    case let error as StoreError: remedy = error.remedy
    default: break
    }
    self.init(error, text, remedy: remedy, wait: ErrorFields.retryAfter(error))
  }

  init(_ error: UnrecordedChangeError) {
    let hints = ["nothing was changed", (error.journalError as? StoreError)?.remedy, "run the command again"]
    self.init(error, "\(error.journalError); " + hints.compactMap(\.self).joined(separator: "; "))
  }

  /// Any error: that of a library, or another one.
  init(any error: any Error) {
    switch error {
    case let error as InputError: self.init(error)
    case let fault as CommandFault: self = fault.message ?? Message(other: fault)
    case let error as any CodedError: self.init(error)
    default: self.init(other: error)
    }
  }

  /// Any other error.
  init(other error: any Error) { self.init(error, "\(DecodingFault(error))") }

  /// - Parameters:
  ///   - remedy: what the user can do about it.
  ///   - wait: the delay that the server asked for.
  private init(_ error: any Error, _ text: String, remedy: String? = nil, wait: Duration? = nil) {
    let facts = ErrorFields(error)
    let hints = [remedy, wait.map { "try again in \(DurationText.rounded($0))" }].compactMap(\.self)
    let remedies = remedy.map { [OutputField("remedy", .string($0))] } ?? []
    self.init(
      level: .error, code: facts.code, text: ([text] + hints).joined(separator: "; "),
      fields: facts.fields + remedies)
  }
}

extension SessionError {
  /// What the user can do about it, if known.
  fileprivate var hint: String {
    switch code {
    case .notSignedIn, .ended: "; sign in with: kith login \(account?.description ?? "HANDLE")"
    case .noneChosen: "; choose one with kith accounts switch HANDLE or --account HANDLE"
    case .ambiguousHandle: "; use the DID of the account"
    case .unverifiedHandle: "; sign in with the DID, or name your PDS with --pds"
    case .plainText: "; on a network that only you use, sign in with --insecure-http"
    default: ""
    }
  }
}

extension StoreError {
  /// What the user can do about it, if known.
  fileprivate var remedy: String? {
    (underlying as? SecureFolderError)?.remedy ?? (code == .full ? "free some space on that disk" : nil)
  }
}

extension StoreError: FieldedError {
  package var fields: [OutputField] { [OutputField("file", .string(path))] }

  /// The description already contains what SQLite reports.
  package var cause: (any Error)? { underlying as? SecureFolderError }
}
