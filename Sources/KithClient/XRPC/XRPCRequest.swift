// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithCore

/// One XRPC call, before it is converted to HTTP.
package struct XRPCRequest: Sendable {
  /// The name of the method.
  package var method: NSID
  /// GET for a query, POST for a procedure.
  package var verb: Verb
  /// The parameters.
  package var items: [XRPCQueryItem]
  /// The accepted MIME type of the response; nil for none.
  package var accept: String?
  /// The input; nil for none.
  package var body: Body?
  /// Authorizes the call, instead of the client's authorizer.
  var bearer: SessionToken?
  /// Authorizes each attempt; set by the client.
  var authorizer: (any RequestAuthorizer)?
  /// The last attempt; set by the client.
  var attempt: Attempt?
  /// The parts of the body that must not appear in an error, such as a password.
  var confidential: [String?] = []

  /// The HTTP method.
  package enum Verb: Sendable, Hashable {
    /// A query.
    case get
    /// A procedure.
    case post
  }

  /// The input of a procedure.
  package struct Body: Sendable, Hashable {
    /// The bytes of the body.
    package var bytes: [UInt8]
    /// Their MIME type.
    package var encoding: String

    /// Creates a body.
    package init(bytes: [UInt8], encoding: String) {
      self.bytes = bytes
      self.encoding = encoding
    }
  }

  /// Creates a call; its body, if any, is set afterwards.
  package init(method: NSID, verb: Verb, items: [XRPCQueryItem] = [], accept: String? = "application/json") {
    self.method = method
    self.verb = verb
    self.items = items
    self.accept = accept
  }

  /// What was sent, and what came back.
  struct Attempt: Sendable {
    let request: HTTPRequest
    var answer: HTTPResponse?
    /// The fields before it was authorized.
    fileprivate let plain: HTTPFields

    /// The values that authorize it.
    fileprivate var secrets: [String] {
      let known = Set(plain)
      // Without the scheme of `Authorization`: it is not secret, and servers name it in their messages.
      return request.headerFields.filter { !known.contains($0) }.compactMap { field in
        guard field.name == .authorization else {
          // What is so short, such as a version, is in any text.
          return field.value.utf8.count < 8 ? nil : field.value
        }
        let parts = field.value.split(separator: " ", maxSplits: 1)
        return String(parts.count > 1 ? parts[1] : field.value[...])
      }
    }
  }

  /// The secrets to remove from anything that the server says about the call.
  var secrets: SecretRedactor { SecretRedactor(tokens: attempt?.secrets ?? [], passwords: confidential) }

  /// Returns the next attempt, authorized.
  mutating func next(
    for client: XRPCClient, _ limits: TransportRequest.Limits
  ) async throws -> TransportRequest {
    var request = transportRequest(for: client, limits)
    let plain = request.head.headerFields
    if let bearer {
      request.head.headerFields[.authorization] = bearer.authorization
    } else if let authorizer {
      do { try await authorizer.authorize(&request.head, body: request.body) } catch {
        throw client.unauthorized(self, error)
      }
    }
    attempt = Attempt(request: request.head, plain: plain)
    return request
  }

  /// Takes the head of an answer.
  mutating func received(_ answer: HTTPResponse) async {
    attempt?.answer = answer
    await authorizer?.received(answer)
  }

  private func transportRequest(for client: XRPCClient, _ limits: TransportRequest.Limits) -> TransportRequest
  {
    let service = client.service
    let query = QueryString.encode(items)
    var head = HTTPRequest(
      method: verb == .get ? .get : .post, scheme: service.scheme, authority: service.authority,
      path: "\(service.path)/xrpc/\(method)" + (query.isEmpty ? "" : "?\(query)"))
    if let accept { head.headerFields[.accept] = accept }
    if let body { head.headerFields[.contentType] = body.encoding }
    if let proxy = client.configuration.proxy { head.headerFields[.atprotoProxy] = proxy.description }
    if !client.configuration.labelers.isEmpty {
      head.headerFields[.atprotoAcceptLabelers] = client.configuration.labelers.map(\.description)
        .joined(separator: ", ")
    }
    return TransportRequest(
      head: head, body: body?.bytes ?? (verb == .post ? [] : nil), limits: limits,
      reach: client.configuration.reach)
  }
}
