// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore

extension RepositoryError {
  /// Converts the error of a failed change; its outcome is in doubt unless the error is conclusive.
  ///
  /// - Parameter method: the method that makes the change. A failure of any other method, such as a token
  ///   refresh, means that the change was not made.
  package init(changing error: any Error, by method: NSID? = nil) {
    let failed = (error as? XRPCError)?.method
    self.init(error, changes: method == nil || failed == nil || failed == method)
  }

  /// Converts the error of a failed read, which is never in doubt.
  package init(asking error: any Error) {
    self.init(error, changes: false)
  }

  private init(_ error: any Error, changes: Bool) {
    switch error {
    case let error as RepositoryError: self = error
    case let error as XRPCError:
      let code = error.repositoryCode
      self.init(
        changes ? code : code.ofQuestion(error), detail: "\(code.reason(changes))\(error)",
        retryAfter: error.retryAfter,
        underlying: error)
    case is CancellationError:
      self.init(
        changes ? .inDoubt : .unavailable, detail: "cancelled before the answer arrived", underlying: error)
    default:
      self.init(changes ? .inDoubt : .unavailable, detail: "\(DecodingFault(error))", underlying: error)
    }
  }
}

extension RepositoryError.Code {
  /// What stands before the words of the server.
  ///
  /// - Parameter changes: whether something was to be written.
  fileprivate func reason(_ changes: Bool) -> String {
    let consequence = changes ? ", so nothing can be written" : ""
    return switch self {
    case .notPermitted: "this session may not do this: "
    case .accountSuspended: "this account is suspended at its server\(consequence): "
    case .accountDeactivated: "this account is deactivated at this server\(consequence): "
    default: ""
    }
  }

  /// A failed read changes nothing.
  fileprivate func ofQuestion(_ error: XRPCError) -> RepositoryError.Code {
    if error.code == .invalidResponse { return .invalidResponse }
    return self == .inDoubt ? .unavailable : self
  }
}

extension XRPCError {
  /// The consequence of a failed change.
  fileprivate var repositoryCode: RepositoryError.Code {
    switch code {
    case .rateLimited: .rateLimited
    case .invalidRequest: .refused
    case .notSignedIn: .notAuthorized
    case _ where !wasSent: .unavailable
    case .transport: (underlying as? TransportError)?.repositoryCode ?? .inDoubt
    case .unavailable: codeOfFailure
    case .refused: codeOfRefusal
    // An unreadable answer with status 200: the change may have been made.
    default: .inDoubt
    }
  }

  /// A failing server may have committed already, also one that gave up reading or claims so (408); one that sends Retry-After
  /// has turned the request away, and so has one that got it too early or over a connection of another host.
  private var codeOfFailure: RepositoryError.Code {
    switch status {
    case 501: .refused
    case 421, 425: .unavailable
    case 503 where retryAfter != nil: .unavailable
    default: .inDoubt
    }
  }

  private var codeOfRefusal: RepositoryError.Code {
    if deniesPermission { return .notPermitted }
    if let inactive = codeOfInactiveAccount { return inactive }
    if status == 401 || status == 403 || namesAccess { return .notAuthorized }
    if name?.rawValue == "RateLimitExceeded" { return .rateLimited }
    if status == 413 || saysTooLarge { return .tooLarge }
    if saysBusy { return .unavailable }
    return switch status {
    // Without a protocol error name it is a proxy's page; a redirect points to another service.
    case 404, 405, 407: name == nil ? .unavailable : .refused
    default: (status ?? 400) / 100 == 3 ? .unavailable : .refused
    }
  }

  /// What the server says about the account itself: a session can outlive it. The sync methods have other names.
  private var codeOfInactiveAccount: RepositoryError.Code? {
    switch name?.rawValue {
    case "AccountTakedown", "AccountSuspended", "RepoTakendown", "RepoSuspended": .accountSuspended
    case "AccountDeactivated", "RepoDeactivated": .accountDeactivated
    default: nil
    }
  }

  /// Error names that mean missing or expired authorization.
  private var namesAccess: Bool {
    guard let name = name?.rawValue else { return false }
    return ["Auth", "Account", "BadJwt", "Jwt"].contains { name.hasPrefix($0) }
      || ["Token", "Forbidden"].contains { name.contains($0) }
  }

  /// Whether the refusal passes: another write was under way. A swap is refused for that reason alone, since
  /// none was asked for.
  private var saysBusy: Bool {
    name?.rawValue == "InvalidSwap" || message.lowercased().contains("concurrent")
  }

  private var saysTooLarge: Bool {
    let words = message.lowercased()
    return name?.rawValue == "PayloadTooLarge"
      || ["too many writes", "too large", "too big", "body limit"].contains { words.contains($0) }
  }
}

extension TransportError {
  /// The consequence of a failed exchange for a change: most may have failed after the server accepted it.
  fileprivate var repositoryCode: RepositoryError.Code {
    switch code {
    case .invalidRequest: .refused
    case .cannotResolveHost, .cannotConnect, .tlsFailure, .proxyFailure, .proxyRefused, .forbiddenAddress,
      .unsupported:
      .unavailable
    default: .inDoubt
    }
  }
}
