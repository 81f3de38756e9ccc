// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithStore
import KithWriting

extension CommandFault {
  init(_ error: RepositoryError) {
    // A problem with the session file is reported as such.
    if let error = error.underlying as? XRPCError, error.code == .notSignedIn {
      self.init(error)
      return
    }
    self.init(ExitStatus(error), Message(error))
  }

  init(_ error: JobError) { self.init(ExitStatus(error), Message(error)) }

  init(_ error: StoreError) { self.init(.fileTrouble, Message(error)) }
}

extension ExitStatus {
  /// The status of a failed change, or of a failed read before it.
  init(_ error: RepositoryError) {
    self =
      switch error.code {
      case .rateLimited: .tryLater
      case .notAuthorized: ExitStatus(withoutSession: error.underlying)
      case .notPermitted: .notAllowed
      case .invalidResponse: .brokenProtocol
      default: .unavailable
      }
  }

  /// The status of a change that is not attempted.
  init(_ refusal: ChangeRefusal) {
    self =
      switch refusal.code {
      case .notLearned: .unavailable
      case .awaited, .contested, .unsettled: .tryLater
      case .noSuchAccount: .notFound
      case .notAList, .noSuchList, .nameTaken, .invalid: .badInput
      default: .notAllowed
      }
  }

  /// The status of a failed operation on a job.
  init(_ error: JobError) {
    self =
      switch error.code {
      case .notFound: .badInput
      case .held: .tryLater
      case .wrongAccount: .notAllowed
      case .journal: .fileTrouble
      default: .usage
      }
  }
}
