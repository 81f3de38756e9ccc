// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
package import ATProtoCore

extension RepositoryError {
  /// Puts a failed change into the terms of repositories: certain where it is, in doubt otherwise.
  ///
  /// - Parameter method: what makes the change. The failure of another, as of the exchange of a token, means that
  ///   the change was not made.
  package init(changing error: any Error, by method: NSID? = nil) {
    let failed = (error as? XRPCError)?.method
    self.init(error, changes: method == nil || failed == nil || failed == method)
  }

  /// Puts a failed question into the terms of repositories: nothing about it can be in doubt.
  package init(asking error: any Error) {
    self.init(error, changes: false)
  }

  private init(_ error: any Error, changes: Bool) {
    switch error {
    case let error as RepositoryError: self = error
    case let error as XRPCError:
      let code = error.repositoryCode
      self.init(
        changes ? code : code.ofQuestion(error), detail: "\(error)", retryAfter: error.retryAfter,
        underlying: error)
    case is CancellationError:
      self.init(
        changes ? .inDoubt : .unavailable, detail: "cancelled before an answer came", underlying: error)
    default: self.init(changes ? .inDoubt : .unavailable, detail: "\(error)", underlying: error)
    }
  }
}

extension RepositoryError.Code {
  /// A question that was not answered changes nothing.
  fileprivate func ofQuestion(_ error: XRPCError) -> RepositoryError.Code {
    if error.code == .invalidResponse { return .invalidResponse }
    return self == .inDoubt ? .unavailable : self
  }
}

extension XRPCError {
  /// What the failure of a change means for it.
  fileprivate var repositoryCode: RepositoryError.Code {
    switch code {
    case .rateLimited: .rateLimited
    case .invalidRequest: .refused
    case .notSignedIn: .notAuthorized
    case _ where !wasSent: .unavailable
    case .transport: (underlying as? TransportError)?.repositoryCode ?? .inDoubt
    case .unavailable: codeOfFailure
    case .refused: codeOfRefusal
    // Whoever answered with 200 in a form that cannot be read, it may have been done.
    default: .inDoubt
    }
  }

  /// A server that fails may have committed before; one that names the time to come back has sent us away.
  private var codeOfFailure: RepositoryError.Code {
    switch status {
    case 501: .refused
    case 503 where retryAfter != nil: .unavailable
    default: .inDoubt
    }
  }

  private var codeOfRefusal: RepositoryError.Code {
    if status == 401 || status == 403 || namesAccess { return .notAuthorized }
    if name?.rawValue == "RateLimitExceeded" { return .rateLimited }
    if status == 413 || saysTooLarge { return .tooLarge }
    return switch status {
    // The server gave up reading, or says so.
    case 408: .inDoubt
    case 421, 425: .unavailable
    // Without a name in the protocol's form it is the page of a proxy; a redirect leads to another service.
    case 404, 405, 407: name == nil ? .unavailable : .refused
    default: (status ?? 400) / 100 == 3 ? .unavailable : .refused
    }
  }

  /// Names by which servers say that somebody is not, or not any more, who may do this.
  private var namesAccess: Bool {
    guard let name = name?.rawValue else { return false }
    return ["Auth", "Account", "BadJwt", "Jwt"].contains { name.hasPrefix($0) }
      || ["Token", "Scope", "Forbidden"].contains { name.contains($0) }
  }

  private var saysTooLarge: Bool {
    let words = message.lowercased()
    return name?.rawValue == "PayloadTooLarge"
      || ["too many writes", "too large", "too big", "body limit"].contains { words.contains($0) }
  }
}

extension TransportError {
  /// What a broken exchange means for a change: most may have broken after the server took it.
  fileprivate var repositoryCode: RepositoryError.Code {
    switch code {
    case .invalidRequest: .refused
    case .cannotResolveHost, .cannotConnect, .tlsFailure, .proxyFailure, .proxyRefused, .forbiddenAddress:
      .unavailable
    default: .inDoubt
    }
  }
}
