// SPDX-License-Identifier: Apache-2.0

public import KithClient
import KithCore
import KithHistory
public import KithRelationships
public import KithWriting

/// What kind of failure an error is, whatever its type: what a caller can do about it. Readers may rely on the raw values.
public enum FailureKind: String, Sendable, CaseIterable {
  /// The request makes no sense.
  case usage
  /// An input is not what it has to be.
  case invalidInput
  /// The account, list or record does not exist.
  case notFound
  /// A service cannot be reached, or fails.
  case unavailable
  /// A fault of this program.
  case internalError
  /// A file or a store cannot be read or written.
  case fileTrouble
  /// A limit is exhausted, or another process is at work.
  case tryLater
  /// An answer breaks the protocol.
  case invalidResponse
  /// No account is signed in, or it may not do that.
  case notAllowed
  /// The task was cancelled.
  case interrupted

  /// Most severe first: a run with several failures ends with the first of them.
  public static let gravity: [FailureKind] = [
    .interrupted, .internalError, .notAllowed, .fileTrouble, .invalidResponse, .unavailable, .tryLater,
    .invalidInput, .notFound,
  ]

  /// The more severe of two kinds.
  public func orMoreSevere(_ other: FailureKind?) -> FailureKind {
    func rank(_ kind: FailureKind) -> Int { Self.gravity.firstIndex(of: kind) ?? Self.gravity.count }
    guard let other else { return self }
    return rank(other) < rank(self) ? other : self
  }

  /// The kind of an error of these libraries; nil for any other, such as one of a store.
  public init?(_ error: any Error) {
    switch error {
    case let error as OperationError: self = error.kind
    case let error as RelationshipError: self.init(error)
    case let error as IdentityError: self.init(error)
    case let error as XRPCError: self.init(error)
    case let error as SessionError: self.init(error)
    case let error as TransportError: self.init(error)
    case let error as RepositoryError: self.init(error)
    case let error as JobError: self.init(error)
    case let error as HistoryError: self.init(error)
    case is InputError: self = .invalidInput
    case is ServiceURL.Fault: self = .usage
    case is CancellationError: self = .interrupted
    default: return nil
    }
  }

  /// The kind of any error: a coded one of an unknown type is that of a store.
  ///
  /// - Parameter other: the kind of an error without a code.
  public init(any error: any Error, otherwise other: FailureKind = .internalError) {
    let isOfAStore = error.withCodeInOutput != nil || error is UnrecordedChangeError
    self = FailureKind(error) ?? (isOfAStore ? .fileTrouble : other)
  }

  /// The most severe kind of errors; nil if there are none.
  init?(worstOf errors: [any Error], otherwise other: FailureKind) {
    let kind = errors.reduce(nil as FailureKind?) { FailureKind(any: $1, otherwise: other).orMoreSevere($0) }
    guard let kind else { return nil }
    self = kind
  }

  private init(_ error: HistoryError) {
    switch error.code {
    case .inUse, .replaced: self = .tryLater
    case .known: self = .invalidInput
    default: self = .notFound
    }
  }

  /// The kind of a failed relationship lookup.
  public init(_ error: RelationshipError) {
    if let error = error.underlying as? XRPCError, error.code == .notSignedIn {
      self.init(error)
      return
    }
    self =
      switch error.code {
      case .invalidInput: .invalidInput
      case .actorNotFound, .listNotFound, .postNotFound: .notFound
      case .accountNotShown, .accountTakenDown, .accountDeactivated: .unavailable
      case .networkError, .refused: (error.underlying as? XRPCError).map(FailureKind.init) ?? .unavailable
      case .hiddenByBlock: .notAllowed
      case .rateLimited: .tryLater
      case .invalidResponse: .invalidResponse
      case .clientNotConfigured: FailureKind(withoutSession: error.underlying)
      default: .internalError
      }
  }

  /// The kind of a failed identity lookup.
  public init(_ error: IdentityError) {
    self =
      switch error.code {
      case .notFound: .notFound
      case .unsupportedMethod: .invalidInput
      case .malformedDocument, .ambiguous: .invalidResponse
      case .rateLimited: .tryLater
      default:
        (error.underlying as? XRPCError).map(FailureKind.init)
          ?? (error.underlying as? TransportError).map(FailureKind.init) ?? .unavailable
      }
  }

  /// The kind of a failed call.
  public init(_ error: XRPCError) {
    self =
      switch error.code {
      case .invalidRequest: .usage
      case .notSignedIn: FailureKind(withoutSession: error)
      case .rateLimited: .tryLater
      case .invalidResponse: .invalidResponse
      case .refused where error.saysNotFound: .notFound
      case .refused where error.hidingBlock != nil: .notAllowed
      case .refused where error.status == 401 || error.status == 403 || error.deniesPermission: .notAllowed
      case .transport: (error.underlying as? TransportError).map(FailureKind.init) ?? .unavailable
      default: .unavailable
      }
  }

  /// The kind of a call without a session: not signed in, or the stored session is damaged or locked by another
  /// process.
  ///
  /// - Parameter call: the error of the call that needed the session.
  private init(withoutSession call: (any Error)?) {
    self = ((call as? XRPCError)?.underlying as? SessionError).map(FailureKind.init) ?? .notAllowed
  }

  /// The kind of a session error.
  public init(_ error: SessionError) {
    self =
      switch error.code {
      case .notSignedIn, .noneChosen, .ended, .refused, .secondFactorRequired, .unverifiedHandle,
        .ambiguousHandle, .plainText:
        .notAllowed
      case .wrongAnswer: .invalidResponse
      case .unsafeFile, .malformedFile, .newerFile, .fileTrouble: .fileTrouble
      case .locked: .tryLater
      default: (error.underlying as? XRPCError).map(FailureKind.init) ?? .unavailable
      }
  }

  /// The kind of a transport error.
  public init(_ error: TransportError) {
    self =
      switch error.code {
      case .malformedResponse, .responseTooLarge: .invalidResponse
      default: .unavailable
      }
  }

  /// The kind of a failed change, or of a failed read before it.
  public init(_ error: RepositoryError) {
    if let error = error.underlying as? XRPCError, error.code == .notSignedIn {
      self.init(error)
      return
    }
    self =
      switch error.code {
      case .rateLimited: .tryLater
      case .notAuthorized: FailureKind(withoutSession: error.underlying)
      case .notPermitted, .accountSuspended, .accountDeactivated: .notAllowed
      case .invalidResponse: .invalidResponse
      default: .unavailable
      }
  }

  /// The kind of a change that is not attempted.
  public init(_ refusal: ChangeRefusal) {
    self =
      switch refusal.code {
      case .notLearned: .unavailable
      case .awaited, .contested, .unsettled: .tryLater
      case .noSuchAccount: .notFound
      case .notAList, .notAPost, .noSuchList, .nameTaken, .invalid: .invalidInput
      default: .notAllowed
      }
  }

  /// The kind of what stopped a job.
  public init(_ stop: JobStop) {
    self =
      switch stop.code {
      case .budget, .rateLimited: .tryLater
      case .notAuthorized, .notPermitted, .accountSuspended, .accountDeactivated: .notAllowed
      case .interrupted: .interrupted
      default: .unavailable
      }
  }

  /// The kind of a failed operation on a job.
  public init(_ error: JobError) {
    self =
      switch error.code {
      case .notFound: .invalidInput
      case .held: .tryLater
      case .wrongAccount: .notAllowed
      case .journal: .fileTrouble
      default: .usage
      }
  }
}
