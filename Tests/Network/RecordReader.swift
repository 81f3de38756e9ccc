// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import Testing

/// The records of accounts, as a Python SDK reads them: `harness/record_reader.py`.
struct RecordReader: Sendable {
  /// A record of a repository.
  struct Record: Decodable {
    struct Value: Decodable {
      let type: String
      let subject: String?
      let createdAt: String
      /// The fields of friend requests, answers and policies.
      let kind: String?
      let request: Version?
      let whoMayAsk: String?

      enum CodingKeys: String, CodingKey {
        case type = "$type"
        case subject, createdAt, kind, request, whoMayAsk
      }
    }

    struct Version: Decodable, Equatable {
      let uri: String
      let cid: String
    }

    let uri: String
    /// The CID that the server claims.
    let cid: String
    let value: Value
    /// Whether the SDK's model of the collection accepts it.
    let isValid: Bool
  }

  /// What an account's AppView returns about another account.
  struct View: Decodable {
    struct Relationship: Decodable {
      let did: DID
      let following: String?
      let blocking: String?
    }

    struct Viewer: Decodable {
      let muted: Bool?
      let mutedOnlyReposts: Bool?
      let mutedOnlyQuoteposts: Bool?
    }

    let relationship: Relationship
    let viewer: Viewer
  }

  let url: ServiceURL
  private let transport = CurlTransport()

  init(_ network: LiveNetwork) { url = network.reader.url }

  /// All records of a collection.
  func records(of account: DID, in collection: String) async throws -> [Record] {
    struct Answer: Decodable { let records: [Record] }
    return try await ask("records?repo=\(account)&collection=\(collection)", Answer.self).records
  }

  /// All records of a collection in the data model, with whether the SDK's model of the collection accepts each.
  func values(of account: DID, in collection: String) async throws -> [Content] {
    struct Answer: Decodable { let records: [Content] }
    return try await ask("records?repo=\(account)&collection=\(collection)", Answer.self).records
  }

  /// A record of any kind.
  struct Content: Decodable {
    let uri: String
    let cid: String
    let value: DataValue
    let isValid: Bool
  }

  /// The subjects of all records of a collection, sorted; a subject with several records is repeated.
  func subjects(of account: DID, in collection: String) async throws -> [String] {
    try await records(of: account, in: collection).compactMap(\.value.subject).sorted()
  }

  /// The accounts that the account mutes fully.
  func mutes(of account: LiveNetwork.Account) async throws -> [DID] {
    struct Answer: Decodable { let mutes: [DID] }
    return try await ask("mutes?" + credentials(account), Answer.self).mutes
  }

  /// The lists that the account mutes.
  func mutedLists(of account: LiveNetwork.Account) async throws -> [String] {
    struct Answer: Decodable { let lists: [String] }
    return try await ask("list-mutes?" + credentials(account), Answer.self).lists
  }

  /// What the account's AppView returns about another account.
  func view(of other: DID, by account: LiveNetwork.Account) async throws -> View {
    try await ask("relationships?other=\(other)&" + credentials(account), View.self)
  }

  private func credentials(_ account: LiveNetwork.Account) -> String {
    "identifier=\(account.handle)&password=\(account.password)"
  }

  private func ask<Answer: Decodable>(_ question: String, _: Answer.Type) async throws -> Answer {
    let head = HTTPRequest(method: .get, scheme: "http", authority: url.authority, path: "/\(question)")
    let answer = try await transport.send(TransportRequest(head: head))
    try #require(answer.head.status == .ok, "\(question): \(String(decoding: answer.body, as: UTF8.self))")
    return try JSONDecoder().decode(Answer.self, from: Data(answer.body))
  }
}
