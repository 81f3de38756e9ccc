// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithTestSupport
import Synchronization

/// A server in front of the sandbox that wants a proof of method, URL and nonce for each call that is authorized, as with
/// DPoP. It names a new nonce with each answer.
final class ProofServer: HTTPTransport {
  let capabilities: TransportCapabilities
  /// How many calls were refused for their nonce, and how many were passed on.
  let refused = Mutex(0)
  let accepted = Mutex(0)
  private let sandbox: SandboxTransport
  private let token: String
  private let session: Session
  private let nonces = Mutex(0)

  init(_ sandbox: SandboxTransport, accepts token: String, insteadOf session: Session) {
    (self.sandbox, self.token, self.session) = (sandbox, token, session)
    capabilities = sandbox.capabilities
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard let authorization = request.head.headerFields[.authorization] else {
      return try await sandbox.send(request)
    }
    let name = try HTTPField.Name("DPoP").required()
    let current = nonces.withLock { number in
      number += 1
      return number
    }
    let path = request.head.path?.prefix { $0 != "?" } ?? ""
    let url = "\(request.head.scheme ?? "")://\(request.head.authority ?? "")\(path)"
    let proof = "\(request.head.method.rawValue) \(url) nonce-"
    let nonceName = try HTTPField.Name("DPoP-Nonce").required()
    // As servers do, it takes the last nonces too: calls that are under way do not know the newest.
    let nonce = request.head.headerFields[name].flatMap { field in
      field.hasPrefix(proof) ? Int(field.dropFirst(proof.count)) : nil
    }
    guard authorization == "DPoP \(token)", let nonce, (current - 16...current).contains(nonce) else {
      refused.withLock { $0 += 1 }
      return .xrpcError(
        401, "use_dpop_nonce", "the proof needs the nonce", headers: ["DPoP-Nonce": "nonce-\(current)"])
    }
    accepted.withLock { $0 += 1 }
    var passed = request
    passed.head.headerFields[name] = nil
    passed.head.headerFields[.authorization] = "Bearer \(session.accessToken.secret)"
    var answer = try await sandbox.send(passed)
    answer.head.headerFields[nonceName] = "nonce-\(current)"
    return answer
  }
}

extension Optional {
  /// The value; a header field with an impossible name is a mistake of the test.
  fileprivate func required() throws -> Wrapped {
    guard let self else { throw CancellationError() }
    return self
  }
}
