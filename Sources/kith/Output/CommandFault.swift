// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipStore
import Relationships

/// Ends a command: what a person is told, and the status that a script sees.
struct CommandFault: Error, Equatable {
  let status: ExitStatus
  /// A line without the program's name; empty when everything was said already.
  let message: String

  init(_ status: ExitStatus, _ message: String = "") {
    self.status = status
    self.message = message
  }

  /// Tells a person, unless everything was said already.
  func say() {
    if !message.isEmpty { StandardError.say(message) }
  }

  init(_ error: RelationshipError) {
    if let error = error.underlying as? XRPCError, error.code == .notSignedIn {
      self.init(error)
      return
    }
    self.init(ExitStatus(error), error.description + Self.wayOut(error.retryAfter))
  }

  init(_ error: IdentityError) {
    let wait = error.retryAfter ?? (error.underlying as? XRPCError)?.retryAfter
    self.init(ExitStatus(error), error.description + Self.wayOut(wait))
  }

  init(_ error: SessionError) {
    let wait = (error.underlying as? XRPCError)?.retryAfter
    var hint = ""
    if error.asksForSignIn {
      hint = "; sign in: kith login \(error.account?.description ?? "HANDLE")"
    } else if error.code == .noneChosen {
      hint = "; choose: kith accounts switch HANDLE, or --account HANDLE"
    }
    self.init(ExitStatus(error), error.description + hint + Self.wayOut(wait))
  }

  init(_ error: XRPCError) {
    if error.code == .notSignedIn, let error = error.underlying as? SessionError {
      self.init(error)
      return
    }
    self.init(ExitStatus(error), error.description + Self.wayOut(error.retryAfter))
  }

  /// Puts whatever a command threw into these terms; nil for what the parser of options says itself.
  init?(_ error: any Error) {
    switch error {
    case let fault as CommandFault: self = fault
    case let error as RelationshipError: self.init(error)
    case let error as IdentityError: self.init(error)
    case let error as XRPCError: self.init(error)
    case let error as SessionError: self.init(error)
    case let error as RepositoryError: self.init(error)
    case let error as JobError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as InputError: self.init(.badInput, error.description)
    case let error as ServiceURL.Fault: self.init(.usage, error.description)
    case is CancellationError: self.init(.interrupted)
    default: return nil
    }
  }

  /// What ends a run that failed after it had printed rows: the graver of both decides on the status.
  static func ending(with failure: any Error, after rows: ExitStatus) -> any Error {
    guard let fault = CommandFault(failure), fault.status != .readerGone else { return failure }
    return CommandFault(fault.status.orGraver(rows), fault.message)
  }

  /// When the server will listen again, where it said so.
  static func wayOut(_ wait: Duration?) -> String {
    wait.map { "; try again in \(DurationText.rounded($0))" } ?? ""
  }
}
