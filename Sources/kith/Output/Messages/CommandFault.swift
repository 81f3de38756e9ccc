// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships
import KithStore
import KithWriting

/// An error that ends a command: a message for people and an exit status for scripts.
struct CommandFault: Error, Equatable {
  let status: ExitStatus
  /// What is wrong; nil if everything was already reported.
  let said: Message?

  init(_ status: ExitStatus, _ message: Message? = nil) {
    self.status = status
    said = message
  }

  /// The text of the message, for rows; empty if everything was already reported.
  var message: String { said?.text ?? "" }

  /// Writes the message to standard error, unless everything was already reported.
  func say() {
    if let said { StandardError.say(said) }
  }

  init(_ error: RelationshipError) {
    if let error = error.underlying as? XRPCError, error.code == .notSignedIn {
      self.init(error)
      return
    }
    self.init(ExitStatus(error), Message(error))
  }

  init(_ error: IdentityError) { self.init(ExitStatus(error), Message(error)) }

  init(_ error: SessionError) { self.init(ExitStatus(error), Message(error)) }

  init(_ error: XRPCError) {
    if error.code == .notSignedIn, let error = error.underlying as? SessionError {
      self.init(error)
      return
    }
    self.init(ExitStatus(error), Message(error))
  }

  /// Wraps an error that a command threw; nil for errors that the argument parser reports itself.
  init?(_ error: any Error) {
    switch error {
    case let fault as CommandFault: self = fault
    case let error as RelationshipError: self.init(error)
    case let error as IdentityError: self.init(error)
    case let error as XRPCError: self.init(error)
    case let error as SessionError: self.init(error)
    case let error as RepositoryError: self.init(error)
    case let error as JobError: self.init(error)
    case let error as HistoryError: self.init(error.code == .inUse ? .tryLater : .notFound, Message(error))
    case let error as StoreError: self.init(error)
    case let error as UnwrittenChange: self.init(.fileTrouble, Message(error))
    case let error as InputError: self.init(.badInput, Message(error))
    case let error as ServiceURL.Fault: self.init(.usage, .invalidService(error, origin: "the service"))
    case is CancellationError: self.init(.interrupted)
    default: return nil
    }
  }

  /// The error of a run that failed after it printed rows, with the more severe of both statuses.
  static func ending(with failure: any Error, after rows: ExitStatus) -> any Error {
    guard let fault = CommandFault(failure), fault.status != .readerGone else { return failure }
    return CommandFault(fault.status.orMoreSevere(rows), fault.said)
  }
}
