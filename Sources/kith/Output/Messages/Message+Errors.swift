// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ATProtoSandbox
import RelationshipStore
import RelationshipWriting
import Relationships

/// What is said of errors of the libraries: their own sentence, and a hint where the command knows the way out.
extension Message {
  init(_ error: RelationshipError) {
    if let error = error.underlying as? InputError {
      self.init(error)
    } else {
      self.init(error, error.description, wait: error.retryAfter)
    }
  }

  init(_ error: IdentityError) {
    self.init(error, error.description, wait: error.retryAfter ?? error.underlyingWait)
  }

  init(_ error: XRPCError) { self.init(error, error.description, wait: error.retryAfter) }

  init(_ error: SessionError) {
    let hint =
      switch error.code {
      case .notSignedIn, .ended: "; sign in: kith login \(error.account?.description ?? "HANDLE")"
      case .noneChosen: "; choose: kith accounts switch HANDLE, or --account HANDLE"
      case .ambiguousHandle: "; name the account by its DID"
      case .unverifiedHandle: "; sign in by DID, or name your PDS with --pds"
      case .plainText: "; where that network is yours alone, sign in with --insecure-http"
      default: ""
      }
    self.init(
      error, error.description + hint, remedy: (error.underlying as? SecureFolderError)?.sessionRemedy,
      wait: (error.underlying as? XRPCError)?.retryAfter)
  }

  init(_ error: RepositoryError) { self.init(error, error.description, wait: error.retryAfter) }

  init(_ error: JobError) { self.init(error, error.sentence) }

  init(_ error: StoreError) { self.init(error, error.description, remedy: error.remedy) }

  init(_ error: UnwrittenChange) {
    let hints = ["nothing was changed", error.underlying.remedy, "run the command again"]
    self.init(error, "\(error.underlying); " + hints.compactMap(\.self).joined(separator: "; "))
  }

  init(_ error: SandboxError) { self.init(error, error.description) }

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

extension StoreError {
  /// What the user can do about it, where that is known.
  fileprivate var remedy: String? {
    (underlying as? SecureFolderError)?.remedy ?? (code == .full ? "make room there" : nil)
  }
}

extension IdentityError {
  fileprivate var underlyingWait: Duration? { (underlying as? XRPCError)?.retryAfter }
}
