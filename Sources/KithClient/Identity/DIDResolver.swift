// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithCore

/// Fetches DID documents: of a `did:plc` from a PLC directory, of a `did:web` from its host.
///
/// Does not cache; ``IdentityDirectory`` does. The host of a `did:web` that the user did not name needs a
/// transport with ``TransportCapabilities/connectedAddress``; without it, such documents are unavailable.
/// Specifications:
/// <https://web.plc.directory/spec/v0.1/did-plc>, <https://atproto.com/specs/did>.
package struct DIDResolver: Sendable {
  /// The directory of `did:plc` documents.
  package let plc: ServiceURL
  private let named: TrustedHosts
  private let transport: CheckedTransport
  private var retry: RetryPolicy
  private var patience: Duration
  /// The longest time for one attempt.
  private var longest = Duration.seconds(20)
  private let random: @Sendable () -> Double
  private let traffic: Traffic
  private let time: TimeSource
  private let meter: CallMeter

  /// Creates a resolver.
  ///
  /// - Parameters:
  ///   - plc: The PLC directory, `https://plc.directory` on the public network.
  ///   - named: Hosts that may be on a private network.
  ///   - patience: How long a rate limit may hold a request; at most five seconds for a host that is not
  ///     named.
  ///   - traffic: Paces the requests; share it with the clients of the app. Creates its own if nil.
  package init(
    plc: ServiceURL, named: TrustedHosts, transport: any HTTPTransport, retry: RetryPolicy = RetryPolicy(),
    patience: Duration = .seconds(600), meter: CallMeter = CallMeter(), traffic: Traffic? = nil,
    time: TimeSource = .system,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.plc = plc
    self.named = named
    self.transport = CheckedTransport(transport)
    self.time = time
    self.meter = meter
    self.retry = retry
    self.patience = patience
    self.random = random
    self.traffic = traffic ?? Traffic(time: time)
  }

  /// The same resolver with a single attempt for a document, which ends after some time.
  package func trying(once longest: Duration) -> DIDResolver {
    var resolver = self
    resolver.retry = RetryPolicy(attempts: 1, attemptsAtUntrustedHosts: 1, budget: longest)
    resolver.patience = min(patience, longest)
    resolver.longest = min(self.longest, longest)
    return resolver
  }

  /// Fetches one document.
  ///
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  package func document(of did: DID) async throws -> DIDDocument {
    let response = try await fetch(try request(for: did), of: did)
    do {
      let document = try JSONCoding.decode(DIDDocument.self, from: response.body)
      guard document.id == did else {
        throw IdentityError(
          .malformedDocument, subject: did, detail: "its document is that of \(document.id)")
      }
      return document
    } catch let error as DecodingError {
      throw IdentityError(malformedDocumentOf: did, error)
    }
  }

  private struct FetchFailure: Error {
    let error: IdentityError
    /// The wait that the server asked for; nil if a retry cannot help.
    let wait: Duration?
  }

  private func request(
    for did: DID
  ) throws(IdentityError) -> (request: TransportRequest, origin: String) {
    let service: ServiceURL
    let path: String
    switch did.method {
    case "plc":
      (service, path) = (plc, "\(plc.path)/\(did)")
    case "web":
      let name = did.description.dropFirst("did:web:".count)
      guard let host = Self.host(ofWeb: name), let web = named.service(host: host) else {
        throw IdentityError(
          .unsupportedMethod, subject: did, detail: "a did:web must be a host name without a path"
        )
      }
      (service, path) = (web, "/.well-known/did.json")
    default:
      throw IdentityError(
        .unsupportedMethod, subject: did, detail: "accounts are did:plc or did:web, not did:\(did.method)")
    }
    var head = HTTPRequest(method: .get, scheme: service.scheme, authority: service.authority, path: path)
    head.headerFields[.accept] = "application/did+ld+json, application/json"
    let reach = did.method == "plc" ? .anywhere : named.reach(of: service)
    var limits = TransportRequest.Limits(
      stall: .seconds(10), total: longest, responseBytes: DIDDocument.mostBytes)
    if reach == .publicOnly { limits = limits.forUntrustedHosts }
    let request = TransportRequest(head: head, limits: limits, redirects: .follow(most: 3), reach: reach)
    return (request, service.origin)
  }

  /// Returns the host of a `did:web`, with its port after `%3A`; nil if colons make it a path.
  private static func host(ofWeb name: Substring) -> String? {
    guard !name.contains(":") else { return nil }
    return String(name.replacing("%3A", with: ":").replacing("%3a", with: ":"))
  }

  private func fetch(
    _ asked: (request: TransportRequest, origin: String), of did: DID
  ) async throws -> TransportResponse {
    let isStranger = asked.request.reach == .publicOnly
    let repeater = RetryExecutor(
      policy: isStranger ? retry.forUntrustedHosts : retry,
      patience: isStranger ? min(patience, RetryPolicy.patienceWithStrangers) : patience,
      limiter: traffic.limiter(for: asked.origin), time: time, random: random)
    var unsound: (any Error)?
    do {
      return try await repeater.run(isRepeatable: true) { _ in
        unsound = nil
        let response = try await meter.counting(CallMeter.documents, time) {
          try await transport.send(asked.request)
        }
        // The directory only answers with JSON, so anything else may pass. A web server without a document
        // may well show a page instead, and would again.
        guard did.method == "plc", response.head.status.kind == .successful,
          let fault = Self.unsoundness(of: response.body)
        else { return response }
        unsound = fault
        throw TransportError(.malformedResponse, host: asked.origin, detail: "\(DecodingFault(fault))")
      } failure: { result in
        if let unsound {
          FetchFailure(error: IdentityError(malformedDocumentOf: did, unsound), wait: .zero)
        } else {
          failure(result, of: did, from: asked.origin)
        }
      } wait: { (failure: FetchFailure) in
        failure.wait
      } onRetry: { _, _ in
        meter.add(to: CallMeter.documents) { $0.retries += 1 }
      }
    } catch let failure as FetchFailure {
      throw failure.error
    } catch let refusal as TrafficRefusal {
      throw IdentityError(refusal, subject: did, host: asked.origin)
    }
  }

  /// Returns why a body is not JSON at all; nil for any JSON, whatever its content.
  private static func unsoundness(of body: [UInt8]) -> (any Error)? {
    do {
      _ = try JSONCoding.decode(DataValue.self, from: body)
      return nil
    } catch {
      return error.isOfTheDocument ? error : nil
    }
  }

  /// Whether a body is the directory's own answer about a DID that it does not serve: JSON with a `message`
  /// that names the DID. Any other 404, such as a proxy's page, says nothing about the DID.
  private static func isAbsence(of did: DID, _ body: [UInt8]) -> Bool {
    struct Answer: Decodable { let message: String }
    guard let answer = try? JSONCoding.decode(Answer.self, from: body) else { return false }
    return answer.message.contains(did.description)
  }

  private func failure(
    _ result: Result<TransportResponse, TransportError>, of did: DID, from origin: String
  ) -> FetchFailure? {
    let response: TransportResponse
    switch result {
    case .success(let answer): response = answer
    case .failure(let error):
      return FetchFailure(
        error: IdentityError(
          .unavailable, subject: did, detail: "its document could not be fetched: \(error)", underlying: error
        ),
        wait: error.isTransient ? .zero : nil)
    }
    switch response.head.status.code {
    case 200..<300: return nil
    case let status where [404, 410].contains(status) && did.method == "web":
      let detail = "\(origin)/.well-known/did.json answered \(status)"
      return FetchFailure(error: IdentityError(.notFound, subject: did, detail: detail), wait: nil)
    case 404 where Self.isAbsence(of: did, response.body):
      return FetchFailure(
        error: IdentityError(.notFound, subject: did, detail: "no such DID is registered"), wait: nil)
    case 410 where Self.isAbsence(of: did, response.body):
      return FetchFailure(
        error: IdentityError(.notFound, subject: did, detail: "the DID was deleted by its owner"), wait: nil)
    case let status:
      let limit = RateLimit(response.head.headerFields, at: time.instant)
      let isRateLimited = status == 429
      let told = isRateLimited ? limit?.waitAfterRefusal : limit?.retryAfter
      let error = IdentityError(
        isRateLimited ? .rateLimited : .unavailable, subject: did, detail: "\(origin) answered \(status)",
        retryAfter: isRateLimited ? told : nil)
      let mayPass = isRateLimited || RetryPolicy.mayPass(status)
      return FetchFailure(error: error, wait: mayPass ? told ?? .zero : nil)
    }
  }
}

extension IdentityError {
  /// Creates an error for a response that is not a DID document.
  fileprivate init(malformedDocumentOf did: DID, _ fault: any Error) {
    self.init(
      .malformedDocument, subject: did, detail: "its document is malformed: \(DecodingFault(fault))",
      underlying: fault)
  }

  /// Creates an error for a lookup that the limiter of its host refused.
  fileprivate init(_ refusal: TrafficRefusal, subject: DID, host: String) {
    let detail = "\(host) was not asked for its document: \(refusal.words)"
    switch refusal {
    case .rateLimited(let wait):
      self.init(.rateLimited, subject: subject, detail: detail, retryAfter: wait)
    case .resting(.transport(let error), _, _):
      self.init(.unavailable, subject: subject, detail: detail, underlying: error)
    case .resting(.status, _, _):
      self.init(.unavailable, subject: subject, detail: detail)
    }
  }
}
