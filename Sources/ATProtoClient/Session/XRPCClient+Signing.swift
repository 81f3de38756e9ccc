// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

extension XRPCClient {
  /// Makes a call, signed where the configuration brings a source of credentials.
  ///
  /// A call that is refused because of its token was not done; so it is made once more with another token,
  /// whatever it does.
  func signing<Answer>(
    _ request: XRPCRequest, _ attempt: (XRPCRequest) async throws -> Answer
  ) async throws -> Answer {
    guard let credentials = configuration.credentials, request.bearer == nil else {
      return try await attempt(request)
    }
    guard credentials.service.origin == service.origin else {
      throw XRPCError(
        .invalidRequest, method: request.method, service: service.origin,
        message: "not sent: the session is one of \(credentials.service.origin)", wasSent: false)
    }
    var request = request
    let token = try await had(for: request) { try await credentials.token() }
    request.bearer = token
    do {
      return try await attempt(request)
    } catch let error as XRPCError where error.refusesToken {
      let other = try await had(for: request) {
        try await credentials.token(after: token, isExpired: error.name == .expiredToken)
      }
      guard other != token else { throw error }
      request.bearer = other
      return try await attempt(request)
    }
  }

  /// Gets a token, and puts a failure into the terms of calls.
  private func had(
    for request: XRPCRequest, _ token: () async throws -> SessionToken
  ) async throws -> SessionToken {
    do { return try await token() } catch let error as SessionError {
      // The trouble of a server that could not be asked for new tokens is the trouble of this call.
      if error.code == .unavailable, let underlying = error.underlying as? XRPCError { throw underlying }
      throw XRPCError(
        .notSignedIn, method: request.method, service: service.origin, message: "not sent: \(error)",
        underlying: error, wasSent: false)
    }
  }

  /// A client that makes the calls of a session which need no access token.
  func unsigned(for session: Session) -> XRPCClient { unsigned(at: session.pds, reach: session.reach) }

  /// A client of a PDS that takes everything but the way of signing from this one.
  func unsigned(at pds: ServiceURL, reach: TransportRequest.Reach) -> XRPCClient {
    var configuration = configuration
    configuration.credentials = nil
    configuration.proxy = nil
    configuration.labelers = []
    configuration.reach = reach
    // Others wait at the lock of the session meanwhile.
    configuration.patience = min(configuration.patience, .seconds(60))
    return XRPCClient(
      service: pds, transport: transport, configuration: configuration, meter: meter, traffic: traffic,
      time: time)
  }

  /// Calls a procedure without parameters, signed by a token other than the one of the configuration.
  ///
  /// - Parameter confidential: what the input holds that nobody may read in an error.
  func call<Method: XRPCProcedure>(
    _ method: Method.Type, input: Method.Input, isIdempotent: Bool = false, bearer: SessionToken? = nil,
    hiding confidential: [String?] = []
  ) async throws -> Method.Output where Method.Parameters == NoParameters {
    var request = try request(of: method, NoParameters(), input: input)
    request.bearer = bearer
    request.confidential = confidential
    return try await perform(request, repeatable: isIdempotent) { try Method.Output(payload: $0, within: $1) }
  }
}
