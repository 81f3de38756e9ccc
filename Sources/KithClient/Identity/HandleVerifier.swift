// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithCore
internal import KithLexicons

/// Verifies from this machine which account a handle belongs to: by its DNS record, by its web server, and,
/// for handles of a local network, by a resolver that the user named.
///
/// Does not ask an AppView and does not cache. It checks one direction only: the account's document has to
/// claim the handle as well. The web server is only asked over a transport with
/// ``TransportCapabilities/connectedAddress``, unless the user named its host.
/// Specification: <https://atproto.com/specs/handle#handle-resolution>.
public struct HandleVerifier: Sendable {
  /// The sources to ask.
  package enum Thoroughness: Sendable {
    /// The web server only if the DNS names no account: for many handles.
    case firstAnswer
    /// DNS and web server, which reveals differences: before a password is sent.
    case all
  }

  /// How many handles to verify at once: each is on its own host.
  static let concurrency = 32
  private static let limits = TransportRequest.Limits(responseBytes: 2 << 10).forUntrustedHosts

  private let texts: (any TextRecords)?
  private let transport: CheckedTransport
  private let resolver: XRPCClient?
  /// The server that is trusted with handles that no public source knows; nil if there is none.
  var resolverService: ServiceURL? { resolver?.service }
  private let named: TrustedHosts
  private let meter: CallMeter
  private let time: TimeSource

  /// Creates a verifier.
  ///
  /// - Parameters:
  ///   - texts: Looks up DNS records; nil to use the web servers only.
  ///   - resolver: A client of a server that answers `com.atproto.identity.resolveHandle` for handles that
  ///     neither DNS nor a public web server knows: those of a local network. It is trusted, so the user has
  ///     to name it.
  ///   - named: Hosts that may be on a private network.
  public init(
    texts: (any TextRecords)?, transport: any HTTPTransport, resolver: XRPCClient? = nil, named: TrustedHosts,
    meter: CallMeter = CallMeter(), time: TimeSource = .system
  ) {
    self.texts = texts
    self.transport = CheckedTransport(transport)
    self.resolver = resolver
    self.named = named
    self.meter = meter
    self.time = time
  }

  /// Determines which account a handle belongs to.
  ///
  /// - Throws: `CancellationError` only.
  package func proof(of handle: Handle, asking thoroughness: Thoroughness) async throws -> HandleVerification
  {
    var answers: [HandleSource: Result<DID, IdentityError>] = [:]
    if handle.isPublicName {
      switch thoroughness {
      case .all:
        async let byName = askNames(for: handle)
        async let byWeb = askWeb(for: handle)
        answers[.dns] = try await byName
        answers[.https] = try await byWeb
      case .firstAnswer:
        answers[.dns] = try await askNames(for: handle)
        if case .failure(let error) = answers[.dns], error.code == .ambiguous { break }
        if case .success? = answers[.dns] { break }
        answers[.https] = try await askWeb(for: handle)
      }
    }
    let proof = HandleVerification(of: handle, answers)
    if case .failure(let error) = proof.owner, error.code != .ambiguous, let resolver {
      answers[.resolver] = try await ask(resolver, for: handle)
      return HandleVerification(of: handle, answers)
    }
    guard !answers.isEmpty else {
      let detail =
        "names under .\(handle.description.split(separator: ".").last ?? "") cannot be verified publicly"
      let error = IdentityError(.unavailable, subject: handle, detail: detail)
      return HandleVerification(of: handle, [.dns: .failure(error)])
    }
    return proof
  }

  // MARK: The DNS

  /// - Returns: nil if there is no ``TextRecords`` to ask.
  private func askNames(for handle: Handle) async throws -> Result<DID, IdentityError>? {
    guard let texts else { return nil }
    let found: [String]
    do {
      found = try await texts.texts(of: "_atproto.\(handle)")
    } catch let error as TransportError {
      return .failure(
        IdentityError(
          .unavailable, subject: handle, detail: "its DNS record could not be looked up: \(error.detail)",
          underlying: error))
    }
    let claims = Set(found.filter { $0.hasPrefix("did=") }.map { $0.dropFirst("did=".count) })
    guard claims.count <= 1 else {
      return .failure(
        IdentityError(.ambiguous, subject: handle, detail: "its DNS has \(claims.count) conflicting records"))
    }
    guard let claim = claims.first else {
      return .failure(IdentityError(.notFound, subject: handle, detail: "its DNS names no account"))
    }
    guard let did = Self.account(claim) else {
      return .failure(
        IdentityError(.notFound, subject: handle, detail: "its DNS record has no valid account DID"))
    }
    return .success(did)
  }

  /// Parses a DID of a record or page; nil unless accounts can have its method.
  private static func account(_ text: some StringProtocol) -> DID? {
    guard let did = DID(String(text)), ["plc", "web"].contains(did.method) else { return nil }
    return did
  }

  // MARK: The web server

  private func askWeb(for handle: Handle) async throws -> Result<DID, IdentityError>? {
    guard let service = ServiceURL("https://\(handle)") else { return nil }
    var head = HTTPRequest(
      method: .get, scheme: service.scheme, authority: service.authority, path: "/.well-known/atproto-did")
    head.headerFields[.accept] = "text/plain"
    var request = TransportRequest(
      head: head, limits: Self.limits, redirects: .follow(most: 3), reach: named.reach(of: service))
    let started = time.now
    var attempt = 1
    while true {
      let finding: Finding
      do {
        let response = try await meter.counting(CallMeter.handleProofs, time) {
          try await transport.send(request)
        }
        finding = Finding(response, of: handle)
      } catch let error as TransportError {
        finding = Finding(error, of: handle)
      }
      let remaining = Self.limits.total - (time.now - started)
      guard finding.mayPass, attempt < RetryPolicy.attemptsWithUntrustedHosts,
        remaining > RetryPolicy.shortestAttempt
      else { return finding.outcome }
      attempt += 1
      request.limits.total = remaining
      meter.add(to: CallMeter.handleProofs) { $0.retries += 1 }
    }
  }

  /// What a web server's response says about a handle.
  private struct Finding {
    let outcome: Result<DID, IdentityError>
    /// Whether a retry may help.
    let mayPass: Bool

    init(_ response: TransportResponse, of handle: Handle) {
      func failed(_ code: IdentityError.Code, _ detail: String) -> Result<DID, IdentityError> {
        .failure(IdentityError(code, subject: handle, detail: detail))
      }
      switch response.head.status.code {
      case 200..<300:
        let text = String(decoding: response.body, as: UTF8.self).trimmingWhitespace
        let did = HandleVerifier.account(text)
        outcome = did.map(Result.success) ?? failed(.notFound, "its web server names no account")
        mayPass = false
      case 429: (outcome, mayPass) = (failed(.unavailable, "its web server answered 429"), false)
      case 300..<500:
        let status = response.head.status.code
        (outcome, mayPass) = (failed(.notFound, "its web server names no account (\(status))"), false)
      case let status:
        outcome = failed(.unavailable, "its web server answered \(status)")
        mayPass = RetryPolicy.mayPass(status)
      }
    }

    init(_ error: TransportError, of handle: Handle) {
      let isConclusive = [.forbiddenAddress, .responseTooLarge, .tooManyRedirects].contains(error.code)
      mayPass = error.isTransient
      outcome = .failure(
        IdentityError(
          isConclusive ? .notFound : .unavailable, subject: handle,
          detail: "its web server could not be queried: \(error.detail)", underlying: error))
    }
  }

  // MARK: The resolver of a local network

  private func ask(_ resolver: XRPCClient, for handle: Handle) async throws -> Result<DID, IdentityError> {
    let outcome = try await HandleResolver(client: resolver).lookUp(handle)
    guard case .success(let did) = outcome, Self.account(did.description) == nil else { return outcome }
    return .failure(
      IdentityError(.notFound, subject: handle, detail: "the resolver answered without a valid account DID"))
  }
}

extension String {
  fileprivate var trimmingWhitespace: Substring {
    let start = drop { $0.isWhitespace }
    return start.dropLast(start.reversed().prefix { $0.isWhitespace }.count)
  }
}
