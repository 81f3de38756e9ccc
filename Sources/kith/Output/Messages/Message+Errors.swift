// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ATProtoSandbox
import RelationshipStore
import RelationshipWriting
import Relationships

/// What is said of errors of the libraries: their own sentence, and a hint where the command knows the way out.
extension Message {
  init(_ error: some CodedError) {
    // A text that a person typed is told as what it is.
    if error is RelationshipError, let input = error.underlying as? InputError {
      self.init(input)
      return
    }
    var text = error.description
    var remedy: String?
    switch error {
    case let error as HistoryError where error.code == .noSnapshot:
      remedy = "kith snapshot \(error.subject) takes the first"
    case let error as SessionError:
      text += error.hint
      remedy = (error.underlying as? SecureFolderError)?.sessionRemedy
    case let error as JobError: text = error.sentence
    case let error as StoreError: remedy = error.remedy
    default: break
    }
    self.init(
      error, text, remedy: remedy, wait: error.retryAfter ?? (error.underlying as? XRPCError)?.retryAfter)
  }

  init(_ error: UnwrittenChange) {
    let hints = ["nothing was changed", error.underlying.remedy, "run the command again"]
    self.init(error, "\(error.underlying); " + hints.compactMap(\.self).joined(separator: "; "))
  }

  /// An error that has no other place here.
  init(other error: any Error) { self.init(error, "\(error)") }

  /// - Parameters:
  ///   - remedy: what the user can do about it.
  ///   - wait: how long the server asked to wait.
  private init(_ error: any Error, _ text: String, remedy: String? = nil, wait: Duration? = nil) {
    let facts = ErrorFacts(error)
    let hints = [remedy, wait.map { "try again in \(DurationText.rounded($0))" }].compactMap(\.self)
    let remedies = remedy.map { [OutputField("remedy", .string($0))] } ?? []
    let retry = wait.map { [OutputField("retryAfterMilliseconds", .milliseconds($0))] } ?? []
    self.init(
      level: .error, code: facts.code, text: ([text] + hints).joined(separator: "; "),
      fields: facts.fields + remedies + retry)
  }
}

extension SessionError {
  /// What the user can do about it, where that is known.
  fileprivate var hint: String {
    switch code {
    case .notSignedIn, .ended: "; sign in: kith login \(account?.description ?? "HANDLE")"
    case .noneChosen: "; choose: kith accounts switch HANDLE, or --account HANDLE"
    case .ambiguousHandle: "; name the account by its DID"
    case .unverifiedHandle: "; sign in by DID, or name your PDS with --pds"
    case .plainText: "; where that network is yours alone, sign in with --insecure-http"
    default: ""
    }
  }
}

extension StoreError {
  /// What the user can do about it, where that is known.
  fileprivate var remedy: String? {
    (underlying as? SecureFolderError)?.remedy ?? (code == .full ? "make room there" : nil)
  }
}
