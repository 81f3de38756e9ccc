// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithCurlTransport
import Testing

/// The local network that `make test-network` starts, as `harness/up` describes it.
struct LiveNetwork: Decodable, Sendable {
  /// A server of the network, with its URL.
  struct Endpoint: Decodable, Sendable {
    let url: ServiceURL

    init(from decoder: any Decoder) throws {
      url = try ServiceURL(parsingStream: try decoder.singleValueContainer().decode(String.self))
    }
  }

  struct Account: Decodable, Sendable {
    let handle: Handle
    let did: DID
    let password: String
    let signingKey: String
  }

  /// The same servers behind TLS and HTTP/2.
  struct TLS: Decodable, Sendable {
    let pds: Endpoint
    let plc: Endpoint
    let appview: Endpoint
    let jetstream: Endpoint
    /// The file of the CA's certificate.
    let ca: String
    /// nginx's access log: connection:requests, protocol, method, host, path, status, seconds, "user agent".
    let log: String
  }

  let pds: Endpoint
  let plc: Endpoint
  let appview: Endpoint
  let jetstream: Endpoint
  /// An AppView whose pages may be short or even empty before the end (Q11).
  let appviewShortPages: Endpoint
  /// Returns the records of accounts, read by an SDK that these tests did not write.
  let reader: Endpoint
  let tls: TLS
  let accounts: [Account]

  private static let path = ProcessInfo.processInfo.environment["KITH_NETWORK"]

  /// Whether there is a network; without one, the suites here are skipped.
  static var isUp: Bool { path != nil }

  private static let shared = Task {
    let network = try JSONDecoder().decode(
      LiveNetwork.self, from: Data(contentsOf: URL(filePath: try #require(path))))
    return (network, try await WrittenEdges.write(to: network))
  }

  /// The network, after the edges of ``WrittenEdges`` are indexed.
  static func populated() async throws -> (network: LiveNetwork, edges: WrittenEdges) {
    try await shared.value
  }

  /// The account with the handle `NAME.test`.
  func account(_ name: String) throws -> Account {
    try #require(accounts.first { $0.handle.description == "\(name).test" })
  }

  func did(_ name: String) throws -> DID { try account(name).did }
}
