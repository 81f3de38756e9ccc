// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import KithCore
public import Logging

/// Calls the methods of one service, with typed parameters and responses.
///
/// A value type: copies share transport, traffic and meter, so a copy with other headers is still counted
/// together. Specification: <https://atproto.com/specs/xrpc>.
public struct XRPCClient: Sendable {
  /// The service to call.
  public let service: ServiceURL
  /// How calls are made.
  public var configuration: Configuration {
    didSet {
      guard configuration.proxy != oldValue.proxy else { return }
      limiter = traffic.limiter(for: service.origin, proxy: configuration.proxy)
    }
  }
  /// Counts the cost of the calls of this client, and of all that share it.
  public let meter: CallMeter

  /// Paces the calls of this client, and of all that share it.
  public let traffic: Traffic

  private(set) var transport: CheckedTransport
  private var limiter: HostLimiter
  /// Measures and waits; also used by types built on the client.
  package let time: TimeSource

  /// Creates a client of a service.
  ///
  /// - Parameters:
  ///   - transport: Performs the exchanges; share it among all clients of an app for its connection pool.
  ///   - meter: Counts the calls; pass one to count several clients together.
  ///   - traffic: Paces the calls; share it among all clients of an app. Creates its own if nil.
  ///   - time: Measures and waits; a manual clock in tests.
  public init(
    service: ServiceURL, transport: any HTTPTransport, configuration: Configuration = Configuration(),
    meter: CallMeter = CallMeter(), traffic: Traffic? = nil, time: TimeSource = .system
  ) {
    let traffic = traffic ?? Traffic(time: time)
    self.traffic = traffic
    limiter = traffic.limiter(for: service.origin, proxy: configuration.proxy)
    self.service = service
    self.transport = CheckedTransport(transport)
    self.configuration = configuration
    self.meter = meter
    self.time = time
  }

  /// Returns a client of the same service that authorizes its calls, with the same meter.
  ///
  /// - Parameters:
  ///   - credentials: Tokens of this service; nil for calls without.
  ///   - proxy: The service that the calls are passed on to, instead of the configuration's.
  public func signed(by credentials: (any CredentialSource)?, proxy: ServiceReference? = nil) -> XRPCClient {
    authorized(by: credentials.map { BearerAuthorizer($0) }, proxy: proxy)
  }

  /// Returns a client of the same service that authorizes its calls, with the same meter.
  ///
  /// - Parameters:
  ///   - authorizer: Authorizes calls of this service; nil for calls without.
  ///   - proxy: The service that the calls are passed on to, instead of the configuration's.
  public func authorized(
    by authorizer: (any RequestAuthorizer)?, proxy: ServiceReference? = nil
  ) -> XRPCClient {
    var client = self
    client.configuration.authorizer = authorizer
    client.configuration.proxy = proxy
    return client
  }

  /// How an ``XRPCClient`` makes its calls.
  public struct Configuration: Sendable {
    /// When and how often a failed call is retried.
    public var retry: RetryPolicy
    /// The maximum total time for which the rate limit may hold a call. A call that it would hold longer
    /// fails at once with ``XRPCError/Code/rateLimited`` and ``XRPCError/retryAfter``.
    public var patience: Duration
    /// The limits of each exchange.
    public var limits: TransportRequest.Limits
    /// Where the service's name may lead; use ``TransportRequest/Reach/anywhere`` only if the user named it.
    public var reach: TransportRequest.Reach
    /// The service that the call is passed on to (`atproto-proxy`).
    public var proxy: ServiceReference?
    /// Labelers whose labels the response should include (`atproto-accept-labelers`).
    public var labelers: [DID]
    /// Authorizes the calls; nil for calls without. What it adds is only sent to its service, never along with a
    /// redirect.
    public var authorizer: (any RequestAuthorizer)?
    /// Whether a call is authorized only after the service has asked for a sign-in: for what most servers show to
    /// everyone.
    package var signsOnlyWhenAsked = false
    /// Returns random numbers between 0 and 1, for the jitter of retries.
    public var random: @Sendable () -> Double
    /// Receives retries at debug level; never bodies or credentials.
    public var logger: Logger

    /// The defaults suit the public AppView: an exchange that stalls for ten seconds or takes thirty is given
    /// up, which leaves time to retry it.
    public init(
      retry: RetryPolicy = RetryPolicy(), patience: Duration = .seconds(600),
      limits: TransportRequest.Limits = TransportRequest.Limits(stall: .seconds(10), total: .seconds(30)),
      reach: TransportRequest.Reach = .anywhere, proxy: ServiceReference? = nil, labelers: [DID] = [],
      authorizer: (any RequestAuthorizer)? = nil,
      random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
      logger: Logger = Logger(label: "kith.xrpc", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
      self.retry = retry
      self.patience = patience
      self.limits = limits
      self.reach = reach
      self.proxy = proxy
      self.labelers = labelers
      self.authorizer = authorizer
      self.random = random
      self.logger = logger
    }
  }

  /// Returns the same client with a wrapper around its transport, such as a ``RateLimitListener``.
  package func wrapping(_ wrap: (any HTTPTransport) -> any HTTPTransport) -> XRPCClient {
    var client = self
    client.transport = CheckedTransport(wrap(transport.base))
    return client
  }

  /// Calls a query.
  ///
  /// Retried after temporary failures: broken connections and responses, 408, 421, 425, 429, 500, 502, 503, 504.
  /// - Throws: ``XRPCError``; `CancellationError` when the task is cancelled.
  public func query<Method: XRPCQuery>(
    _ method: Method.Type, _ parameters: Method.Parameters
  ) async throws -> Method.Output {
    try await answer(to: method, parameters) { try Method.Output(payload: $0, within: $1) }
  }

  /// Calls a query whose response is JSON, and decodes only a part of it.
  ///
  /// For callers that need few fields of large views: unread fields cost nothing, and a malformed record in
  /// one of them is ignored.
  /// - Throws: The same errors as ``query(_:_:)``.
  package func query<Method: XRPCQuery, Part: Decodable>(
    _ method: Method.Type, _ parameters: Method.Parameters, reading part: Part.Type
  ) async throws -> Part {
    try await answer(to: method, parameters) { try JSONCoding.decode(part, from: $0, within: $1) }
  }

  /// Calls a procedure.
  ///
  /// - Parameter isIdempotent: Whether the call is idempotent; only then is it retried.
  /// - Throws: ``XRPCError``; `CancellationError` when the task is cancelled.
  public func call<Method: XRPCProcedure>(
    _ method: Method.Type, _ parameters: Method.Parameters, input: Method.Input, isIdempotent: Bool = false
  ) async throws -> Method.Output {
    let request = try request(of: method, parameters, input: input)
    return try await perform(request, repeatable: isIdempotent, within: Method.answerBounds) {
      try Method.Output(payload: $0, within: $1)
    }
  }

  /// Returns the request of a procedure, after validating its parameters and its input.
  func request<Method: XRPCProcedure>(
    of method: Method.Type, _ parameters: Method.Parameters, input: Method.Input
  ) throws -> XRPCRequest {
    do {
      try parameters.validate()
      try input.validate()
    } catch {
      throw notSent(Method.nsid, error)
    }
    var request = XRPCRequest(
      method: Method.nsid, verb: .post, items: parameters.queryItems, accept: Method.outputEncoding)
    if let encoding = Method.inputEncoding {
      request.body = XRPCRequest.Body(bytes: try input.payload(), encoding: encoding)
    }
    return request
  }

  /// Calls a method by name, and returns the body of the response unchanged.
  ///
  /// For methods without generated types; nothing is validated, and the response may be as large as the
  /// configuration's limits allow.
  /// - Throws: ``XRPCError``; `CancellationError` when the task is cancelled.
  package func perform(_ request: XRPCRequest, repeatable: Bool) async throws -> [UInt8] {
    try await perform(request, repeatable: repeatable) { body, _ in body }
  }

  /// Performs a call and decodes its response.
  ///
  /// A body that is not valid JSON, such as a captive portal's page or a damaged response, counts as no
  /// response and is retried. What a server itself writes comes again: one that is not cut off is retried a
  /// little, and one of another shape, or beyond the limits, would come again and is not.
  /// - Parameter bounds: The limits of the response.
  package func perform<Output>(
    _ request: XRPCRequest, repeatable: Bool, within bounds: AnswerBounds = .unlisted,
    reading read: ([UInt8], JSONBounds) throws -> Output
  ) async throws -> Output {
    let json = bounds.json(for: request.items)
    return try await authorizing(request) {
      try await performAuthorized(&$0, repeatable: repeatable, atMost: bounds.bytes) { try read($0, json) }
    }
  }

  private func performAuthorized<Output>(
    _ request: inout XRPCRequest, repeatable: Bool, atMost bytes: Int,
    reading read: ([UInt8]) throws -> Output
  ) async throws -> Output {
    let method = request.method
    var reading: Result<Output, any Error>?
    var isWhole = false
    do {
      let response = try await repeater(for: method).run(isRepeatable: repeatable) { remaining in
        reading = nil
        let response = try await send(&request, within: remaining, atMost: bytes)
        guard response.head.status.kind == .successful else { return response }
        reading = Result { try read(response.body) }
        if case .failure(let fault)? = reading, fault.isOfTheDocument {
          isWhole = response.body.isWholeObject
          // The error is kept as the reason for later calls that are not sent because of it.
          let detail = request.secrets.clean("\(DecodingFault(fault))")
          throw TransportError(.malformedResponse, host: service.authority, detail: detail)
        }
        return response
      } failure: { result in
        if case .failure(let fault)? = reading {
          unreadable(fault, from: method).hiding(request.secrets)
        } else {
          failure(result, of: request)
        }
      } wait: { (failure: XRPCError) in
        let mayPass = failure.isTransient || failure.underlying?.isOfTheDocument == true
        return mayPass ? failure.retryAfter ?? .zero : nil
      } most: { failure in
        isWhole && failure.underlying?.isOfTheDocument == true ? RetryPolicy.attemptsAtUnreadable : .max
      } onRetry: { failure, pause in
        logRetry(failure, pause, of: method)
      }
      return try reading?.get() ?? read(response.body)
    } catch let refusal as TrafficRefusal {
      throw XRPCError(refusal, method: method, service: service)
    }
  }

  /// - Parameter remaining: The time left for a retry; nil for the first attempt, which may use its full limits.
  private func send(
    _ request: inout XRPCRequest, within remaining: Duration?, atMost bytes: Int
  ) async throws -> TransportResponse {
    var limits = configuration.limits
    limits.responseBytes = min(limits.responseBytes, bytes)
    if let remaining { limits.total = min(limits.total, remaining) }
    let attempt = try await request.next(for: self, limits)
    let response = try await meter.counting(request.method.description, time) {
      try await transport.send(attempt)
    }
    await request.received(response.head)
    return response
  }

  private func answer<Method: XRPCQuery, Output>(
    to method: Method.Type, _ parameters: Method.Parameters,
    reading read: ([UInt8], JSONBounds) throws -> Output
  ) async throws -> Output {
    do { try parameters.validate() } catch { throw notSent(Method.nsid, error) }
    let request = XRPCRequest(
      method: Method.nsid, verb: .get, items: parameters.queryItems, accept: Method.outputEncoding)
    return try await perform(request, repeatable: true, within: Method.answerBounds, reading: read)
  }

  func repeater(for method: NSID) -> RetryExecutor {
    RetryExecutor(
      method: method, policy: configuration.retry, patience: configuration.patience, limiter: limiter,
      time: time,
      random: configuration.random)
  }

  /// Records that a call is about to be retried.
  func logRetry(_ failure: XRPCError, _ pause: Duration, of method: NSID) {
    configuration.logger.debug(
      "retry", metadata: ["after": "\(pause.inMilliseconds) ms", "because": "\(failure)"])
    meter.add(to: method.description) { $0.retries += 1 }
  }

  func fault(_ error: TransportError, of method: NSID) -> XRPCError {
    XRPCError(
      .transport, method: method, service: service.origin, message: error.detail, underlying: error)
  }

  private func failure(
    _ result: Result<TransportResponse, TransportError>, of request: XRPCRequest
  ) -> XRPCError? {
    switch result {
    case .success(let response):
      response.head.status.kind == .successful ? nil : refusal(response, of: request)
    case .failure(let error) where error.code == .responseTooLarge:
      // As with too many elements: the service works, but its response is invalid.
      XRPCError(
        .invalidResponse, method: request.method, service: service.origin, message: error.detail,
        underlying: error)
    case .failure(let error): fault(error, of: request.method)
    }
  }

  /// Converts a response outside 2xx to an error, without secrets of the call that it quotes, because it is
  /// logged before it is thrown.
  func refusal(_ response: TransportResponse, of request: XRPCRequest) -> XRPCError {
    XRPCError(
      refusal: response, to: request.method, service: service, at: time.instant,
      hiding: request.secrets)
  }

  private func notSent(_ method: NSID, _ fault: ValidationError) -> XRPCError {
    XRPCError(
      .invalidRequest, method: method, service: service.origin, message: "not sent: \(fault)",
      underlying: fault, wasSent: false)
  }

  private func unreadable(_ fault: any Error, from method: NSID) -> XRPCError {
    let reason =
      if fault.isBeyondBounds {
        "is too large"
      } else if fault.isOfTheDocument {
        "is not valid JSON"
      } else {
        "does not fit the lexicon"
      }
    return XRPCError(
      .invalidResponse, method: method, service: service.origin,
      message: "the response \(reason): \(DecodingFault(fault))", underlying: fault)
  }
}

extension [UInt8] {
  /// Whether this has the ends of a JSON object, so that nothing is cut off.
  fileprivate var isWholeObject: Bool {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 9...13 ~= byte }
    return first { !isSpace($0) } == UInt8(ascii: "{") && last { !isSpace($0) } == UInt8(ascii: "}")
  }
}
