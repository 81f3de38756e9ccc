// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import HTTPTypes

/// One call in the terms of XRPC, before it becomes HTTP.
public struct XRPCRequest: Sendable {
  /// The method's name.
  public var method: NSID
  /// GET for a query, POST for a procedure.
  public var verb: Verb
  /// The parameters.
  public var items: [XRPCQueryItem]
  /// The MIME type of the answer that is wanted; nil where none is.
  public var accept: String?
  /// The input; nil for none.
  public var body: Body?
  /// Signs the call; set by the client that makes it.
  var bearer: SessionToken?
  /// What the body holds that nobody may read in an error: a password.
  var confidential: [String?] = []

  /// How the method travels.
  public enum Verb: Sendable, Hashable {
    /// A query.
    case get
    /// A procedure.
    case post
  }

  /// The input of a procedure.
  public struct Body: Sendable, Hashable {
    /// The bytes as they travel.
    public var bytes: [UInt8]
    /// Their MIME type.
    public var encoding: String

    /// Puts bytes and type together.
    public init(bytes: [UInt8], encoding: String) {
      self.bytes = bytes
      self.encoding = encoding
    }
  }

  /// Names a call; its body is set afterwards where there is one.
  public init(method: NSID, verb: Verb, items: [XRPCQueryItem] = [], accept: String? = "application/json") {
    self.method = method
    self.verb = verb
    self.items = items
    self.accept = accept
  }

  /// What is taken out of whatever the server says to the call.
  var secrets: HiddenSecrets { HiddenSecrets(tokens: [bearer?.secret], passwords: confidential) }

  func transportRequest(for client: XRPCClient, _ limits: TransportRequest.Limits) -> TransportRequest {
    let service = client.service
    let query = QueryString.encode(items)
    var head = HTTPRequest(
      method: verb == .get ? .get : .post, scheme: service.scheme, authority: service.authority,
      path: "\(service.path)/xrpc/\(method)" + (query.isEmpty ? "" : "?\(query)"))
    if let accept { head.headerFields[.accept] = accept }
    if let body { head.headerFields[.contentType] = body.encoding }
    if let bearer { head.headerFields[.authorization] = "Bearer \(bearer.secret)" }
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
