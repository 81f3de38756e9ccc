// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import HTTPTypes

/// Fetches DID documents: of `did:plc` from a PLC directory, of `did:web` from the host it names.
///
/// Asks anew each time; ``IdentityDirectory`` remembers. Specifications:
/// <https://web.plc.directory/spec/v0.1/did-plc>, <https://atproto.com/specs/did>.
public struct DIDResolver: Sendable {
  /// The directory of `did:plc` documents.
  public let plc: ServiceURL
  private let named: NamedHosts
  private let transport: any HTTPTransport
  private let repeater: Repeater
  private let time: TimeSource
  private let meter: CallMeter

  /// Makes a resolver.
  ///
  /// - Parameters:
  ///   - plc: the PLC directory, `https://plc.directory` on the public network.
  ///   - named: hosts that may stand on a private network.
  public init(
    plc: ServiceURL, named: NamedHosts, transport: any HTTPTransport, retry: RetryPolicy = RetryPolicy(),
    meter: CallMeter = CallMeter(), time: TimeSource = .system,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.plc = plc
    self.named = named
    self.transport = transport
    self.time = time
    self.meter = meter
    repeater = Repeater(policy: retry, time: time, random: random)
  }

  /// Fetches one document.
  ///
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  public func document(of did: DID) async throws -> DIDDocument {
    let request = try request(for: did)
    let response: TransportResponse
    do {
      response = try await repeater.run {
        try await fetch(request, did)
      } wait: { (failure: FetchFailure) in
        failure.wait
      } onRetry: { _, _ in
        meter.add(to: CallMeter.documents) { $0.retries += 1 }
      }
    } catch let failure as FetchFailure {
      throw failure.error
    }
    do {
      let document = try JSONCoding.decode(DIDDocument.self, from: response.body)
      guard document.id == did else {
        throw IdentityError(
          .malformedDocument, subject: did, detail: "its document is that of \(document.id)")
      }
      return document
    } catch let error as DecodingError {
      throw IdentityError(
        .malformedDocument, subject: did, detail: "its document is malformed: \(DecodingFault(error))",
        underlying: error)
    }
  }

  private struct FetchFailure: Error {
    let error: IdentityError
    /// What the server asked to wait, when asking again may help.
    let wait: Duration?
  }

  private func request(for did: DID) throws(IdentityError) -> TransportRequest {
    let service: ServiceURL
    let path: String
    switch did.method {
    case "plc":
      (service, path) = (plc, "\(plc.path)/\(did)")
    case "web":
      let name = did.description.dropFirst("did:web:".count)
      guard let host = Self.host(ofWeb: name), let web = named.service(host: host) else {
        throw IdentityError(
          .unsupportedMethod, subject: did, detail: "a did:web of this network is a host name, without a path"
        )
      }
      (service, path) = (web, "/.well-known/did.json")
    default:
      throw IdentityError(
        .unsupportedMethod, subject: did, detail: "accounts are did:plc or did:web, not did:\(did.method)")
    }
    var head = HTTPRequest(method: .get, scheme: service.scheme, authority: service.authority, path: path)
    head.headerFields[.accept] = "application/did+ld+json, application/json"
    let limits = TransportRequest.Limits(total: .seconds(20), responseBytes: 1 << 20)
    return TransportRequest(
      head: head, limits: limits, redirects: .follow(most: 3),
      reach: did.method == "plc" ? .anywhere : named.reach(of: service))
  }

  /// The host of a `did:web`, with its port where `%3A` brings one; nil where colons make a path of it.
  private static func host(ofWeb name: Substring) -> String? {
    guard !name.contains(":") else { return nil }
    return String(name.replacing("%3A", with: ":").replacing("%3a", with: ":"))
  }

  private func fetch(_ request: TransportRequest, _ did: DID) async throws -> TransportResponse {
    let response: TransportResponse
    do {
      response = try await meter.counting(CallMeter.documents, time) { try await transport.send(request) }
    } catch let error as TransportError {
      throw FetchFailure(
        error: IdentityError(
          .unavailable, subject: did, detail: "its document could not be had: \(error)", underlying: error),
        wait: error.isTransient ? .zero : nil)
    }
    switch response.head.status.code {
    case 200..<300: return response
    case 404:
      throw FetchFailure(
        error: IdentityError(.notFound, subject: did, detail: "no such DID is registered"), wait: nil)
    case 410:
      throw FetchFailure(
        error: IdentityError(.notFound, subject: did, detail: "the DID was deleted by its owner"), wait: nil)
    case let status:
      let limit = RateLimit(response.head.headerFields, at: time.microsecondsSinceEpoch)
      let error = IdentityError(
        status == 429 ? .rateLimited : .unavailable, subject: did,
        detail: "\(request.head.authority ?? "the server") answered \(status)",
        retryAfter: status == 429 ? limit?.waitAfterRefusal : nil)
      let wait: Duration? =
        switch status {
        case 429: limit?.waitAfterRefusal ?? .zero
        case 500, 502, 503, 504: limit?.retryAfter ?? .zero
        default: nil
        }
      throw FetchFailure(error: error, wait: wait)
    }
  }
}
