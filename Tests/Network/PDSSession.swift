// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import Testing

/// An account signed in to the PDS with its password; writes records with plain XRPC calls.
struct PDSSession: Sendable {
  let did: DID
  private let service: ServiceURL
  private let token: String
  private let transport: CurlTransport

  init(_ account: LiveNetwork.Account, at service: ServiceURL, transport: CurlTransport) async throws {
    struct SignIn: Encodable { let identifier: String, password: String }
    struct Tokens: Decodable { let did: DID, accessJwt: String }
    let signIn = SignIn(identifier: account.handle.description, password: account.password)
    let tokens = try await Self.post(
      "com.atproto.server.createSession", signIn, giving: Tokens.self, to: service, token: nil,
      over: transport)
    self.did = tokens.did
    self.service = service
    self.token = tokens.accessJwt
    self.transport = transport
  }

  /// Creates a record in the account's repository and returns its URI.
  func createRecord(in collection: String, _ fields: [String: String]) async throws -> ATURI {
    struct Creation: Encodable { let repo: String, collection: String, record: [String: String] }
    struct Created: Decodable { let uri: ATURI }
    let record = fields.merging(["$type": collection, "createdAt": "2026-01-02T03:04:05.678Z"]) { field, _ in
      field
    }
    let creation = Creation(repo: did.description, collection: collection, record: record)
    return try await Self.post(
      "com.atproto.repo.createRecord", creation, giving: Created.self, to: service, token: token,
      over: transport
    ).uri
  }

  /// Deletes a record of the account's repository.
  func deleteRecord(_ uri: ATURI) async throws {
    struct Deletion: Encodable { let repo: String, collection: String?, rkey: String? }
    struct Answer: Decodable {}
    let deletion = Deletion(
      repo: did.description, collection: uri.collection?.description, rkey: uri.recordKey?.description)
    _ = try await Self.post(
      "com.atproto.repo.deleteRecord", deletion, giving: Answer.self, to: service, token: token,
      over: transport)
  }

  private static func post<Input: Encodable, Output: Decodable>(
    _ method: String, _ input: Input, giving: Output.Type, to service: ServiceURL, token: String?,
    over transport: CurlTransport
  ) async throws -> Output {
    var head = HTTPRequest(
      method: .post, scheme: service.scheme, authority: service.authority, path: "/xrpc/\(method)")
    head.headerFields[.contentType] = "application/json"
    head.headerFields[.authorization] = token.map { "Bearer \($0)" }
    let request = TransportRequest(head: head, body: Array(try JSONEncoder().encode(input)))
    let answer = try await transport.send(request)
    try #require(answer.head.status == .ok, "\(method): \(String(decoding: answer.body, as: UTF8.self))")
    return try JSONDecoder().decode(Output.self, from: Data(answer.body))
  }
}
