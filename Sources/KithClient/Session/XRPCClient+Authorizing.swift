// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension XRPCClient {
  /// Makes a call with the configured authorizer, if there is one. With `signsOnlyWhenAsked`, the first attempt is not
  /// authorized.
  ///
  /// A call refused for its authorization had no effect, so it is made once more if that can help, whether or not it is
  /// idempotent.
  func authorizing<Answer>(
    _ request: XRPCRequest, _ attempt: (inout XRPCRequest) async throws -> Answer
  ) async throws -> Answer {
    var request = request
    guard let authorizer = configuration.authorizer, request.bearer == nil else {
      return try await attempt(&request)
    }
    guard authorizer.service.origin == service.origin else {
      throw XRPCError(
        .invalidRequest, method: request.method, service: service.origin,
        message: "not sent: the session belongs to \(authorizer.service.origin)", wasSent: false)
    }
    if configuration.signsOnlyWhenAsked {
      do { return try await attempt(&request) } catch let error as XRPCError where error.asksForSignIn {}
    }
    do { try await authorizer.prepare() } catch { throw unauthorized(request, error) }
    request.authorizer = authorizer
    do {
      return try await attempt(&request)
    } catch let error as XRPCError where error.refusesToken {
      guard let sent = request.attempt, let answer = sent.answer else { throw error }
      let refused = RefusedCall(request: sent.request, answer: answer, error: error.name)
      let canRetry: Bool
      do { canRetry = try await authorizer.canRetry(refused) } catch { throw unauthorized(request, error) }
      guard canRetry else { throw error }
      return try await attempt(&request)
    }
  }

  /// The error of a call that could not be authorized.
  func unauthorized(_ request: XRPCRequest, _ error: any Error) -> any Error {
    if error is XRPCError || error is CancellationError { return error }
    // If the server could not be reached for new tokens, that error is the error of this call.
    if let session = error as? SessionError, session.code == .unavailable,
      let underlying = session.underlying as? XRPCError
    {
      return underlying
    }
    return XRPCError(
      .notSignedIn, method: request.method, service: service.origin,
      // An app's own error may quote its secrets.
      message: error is SessionError ? "not sent: \(error)" : "not sent: it could not be authorized",
      underlying: error, wasSent: false)
  }

  /// Returns a client for the calls of a session that need no access token.
  func unsigned(for session: Session) -> XRPCClient { unsigned(at: session.pds, reach: session.reach) }

  /// Returns a client of a PDS with the configuration of this one, except for credentials.
  func unsigned(at pds: ServiceURL, reach: TransportRequest.Reach) -> XRPCClient {
    var configuration = configuration
    configuration.authorizer = nil
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
