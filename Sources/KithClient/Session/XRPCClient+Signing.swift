// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension XRPCClient {
  /// Makes a call, with a token if the configuration has a credential source; at first without one if the service
  /// has to ask for it.
  ///
  /// A call refused because of its token had no effect, so it is made once more with another token, whether
  /// or not it is idempotent.
  func signing<Answer>(
    _ request: XRPCRequest, _ attempt: (XRPCRequest) async throws -> Answer
  ) async throws -> Answer {
    guard let credentials = configuration.credentials, request.bearer == nil else {
      return try await attempt(request)
    }
    guard credentials.service.origin == service.origin else {
      throw XRPCError(
        .invalidRequest, method: request.method, service: service.origin,
        message: "not sent: the session belongs to \(credentials.service.origin)", wasSent: false)
    }
    if configuration.signsOnlyWhenAsked {
      do { return try await attempt(request) } catch let error as XRPCError where error.asksForSignIn {}
    }
    var request = request
    let current = try await token(for: request) { try await credentials.token() }
    request.bearer = current
    do {
      return try await attempt(request)
    } catch let error as XRPCError where error.refusesToken {
      let other = try await token(for: request) {
        try await credentials.token(after: current, isExpired: error.name == .expiredToken)
      }
      guard other != current else { throw error }
      request.bearer = other
      return try await attempt(request)
    }
  }

  /// Gets a token, and converts a failure to an ``XRPCError``.
  private func token(
    for request: XRPCRequest, _ token: () async throws -> SessionToken
  ) async throws -> SessionToken {
    do { return try await token() } catch let error as SessionError {
      // If the server could not be reached for new tokens, that error is the error of this call.
      if error.code == .unavailable, let underlying = error.underlying as? XRPCError { throw underlying }
      throw XRPCError(
        .notSignedIn, method: request.method, service: service.origin, message: "not sent: \(error)",
        underlying: error, wasSent: false)
    }
  }

  /// Returns a client for the calls of a session that need no access token.
  func unsigned(for session: Session) -> XRPCClient { unsigned(at: session.pds, reach: session.reach) }

  /// Returns a client of a PDS with the configuration of this one, except for credentials.
  func unsigned(at pds: ServiceURL, reach: TransportRequest.Reach) -> XRPCClient {
    var configuration = configuration
    configuration.credentials = nil
    configuration.proxy = nil
    configuration.labelers = []
    configuration.reach = reach
    // Other processes wait for the lock of the session meanwhile.
    configuration.patience = min(configuration.patience, .seconds(60))
    return XRPCClient(
      service: pds, transport: transport, configuration: configuration, meter: meter, traffic: traffic,
      time: time)
  }

  /// Calls a procedure without parameters, authorized by another token than that of the configuration.
  ///
  /// - Parameter confidential: The parts of the input that must not appear in an error.
  func call<Method: XRPCProcedure>(
    _ method: Method.Type, input: Method.Input, isIdempotent: Bool = false, bearer: SessionToken? = nil,
    hiding confidential: [String?] = []
  ) async throws -> Method.Output where Method.Parameters == NoParameters {
    var request = try request(of: method, NoParameters(), input: input)
    request.bearer = bearer
    request.confidential = confidential
    return try await perform(request, repeatable: isIdempotent, within: Method.answerBounds) {
      try Method.Output(payload: $0, within: $1)
    }
  }
}
