// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore

/// A session of one's own, such as OAuth with DPoP (RFC 9449): each request carries a proof that is made for it.
///
/// `XRPCClient(service: pds, transport: transport).authorized(by: session)` makes its calls as the account.
public actor ProofSession: RequestAuthorizer {
  /// Signs a proof for one request with the key of the session.
  public typealias Prove = @Sendable (_ method: String, _ url: String, _ nonce: String?) throws -> String

  public nonisolated let service: ServiceURL
  private let accessToken: String
  private let prove: Prove
  /// The last nonce that the server has named.
  private var nonce: String?

  /// - Parameters:
  ///   - service: the account's server, which the token is for.
  ///   - prove: makes the JWT of the field `DPoP`.
  public init(at service: ServiceURL, accessToken: String, prove: @escaping Prove) {
    (self.service, self.accessToken, self.prove) = (service, accessToken, prove)
  }

  public func authorize(_ head: inout HTTPRequest, body: [UInt8]?) throws {
    // The URL of a proof has no query.
    let path = head.path?.prefix { $0 != "?" } ?? "/"
    let url = "\(head.scheme ?? "https")://\(head.authority ?? "")\(path)"
    head.headerFields[.authorization] = "DPoP \(accessToken)"
    if let name = HTTPField.Name("DPoP") {
      head.headerFields[name] = try prove(head.method.rawValue, url, nonce)
    }
  }

  public func received(_ answer: HTTPResponse) {
    if let name = HTTPField.Name("DPoP-Nonce"), let next = answer.headerFields[name] { nonce = next }
  }

  /// A call that was refused for its nonce had no effect, and is made once more with the new one.
  public func canRetry(_ refused: RefusedCall) -> Bool { refused.error?.rawValue == "use_dpop_nonce" }
}
