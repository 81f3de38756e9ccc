// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithStore

/// An error that ends a command: a message for people and an exit status for scripts.
struct CommandFault: Error, Equatable {
  let status: ExitStatus
  /// What is wrong; nil if everything was already reported.
  let message: Message?

  init(_ status: ExitStatus, _ message: Message? = nil) {
    self.status = status
    self.message = message
  }

  /// Wraps an error of a library.
  init(_ error: some CodedError) {
    // A call without a session fails for the reason that the session gives.
    if let cause = error.missingSession {
      self.init(cause)
    } else if let error = error as? OperationError, error.code == .declined {
      self.init(.no, Message(error))
    } else {
      self.init(FailureKind(error).map(ExitStatus.init) ?? .fileTrouble, Message(error))
    }
  }

  /// Wraps an error that a command threw; nil for errors that the argument parser reports itself.
  init?(any error: any Error) {
    switch error {
    case let fault as CommandFault: self = fault
    case let error as InputError: self.init(.badInput, Message(error))
    case let error as UnrecordedChangeError: self.init(.fileTrouble, Message(error))
    case let error as ServiceURL.Fault: self.init(.usage, .invalidService(error, origin: "the service"))
    case is CancellationError: self.init(.interrupted)
    case let error as any CodedError where error is StoreError || FailureKind(error) != nil: self.init(error)
    default: return nil
    }
  }

  /// The error of a run that failed after it printed rows, with the more severe of both statuses.
  static func ending(with failure: any Error, after rows: ExitStatus) -> any Error {
    guard let fault = CommandFault(any: failure), fault.status != .readerGone else { return failure }
    return CommandFault(fault.status.orMoreSevere(rows), fault.message)
  }
}

extension CodedError {
  /// The error of a call without a session, if it is the cause: the session says why.
  fileprivate var missingSession: (any CodedError)? {
    guard !(self is IdentityError), !(self is SessionError),
      let call = self as? XRPCError ?? underlying as? XRPCError, call.code == .notSignedIn
    else { return nil }
    return call.underlying as? SessionError ?? (self is XRPCError ? nil : call)
  }
}
