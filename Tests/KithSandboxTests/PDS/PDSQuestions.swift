// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import TestSupport

@testable import KithSandbox

/// Calls by one account to a sandbox's PDS, without HTTP.
final class PDSQuestions: Sendable {
  let questions: SandboxQuestions
  /// The time in microseconds since 1970: the middle of 2025 until a test changes it.
  let time = PosixMutex<Instant>(1_750_000_000_000_000)
  let member: NamedAccount
  private let tokens = PosixMutex<(access: String, refresh: String)>(("", ""))

  init(
    _ member: NamedAccount = .alice, writing: SandboxWriting = SandboxWriting(),
    network: SandboxNetwork = SandboxQuestions.network
  ) throws {
    let time = time
    self.member = member
    questions = SandboxQuestions(network, writing: writing) { time.withLock { $0 } }
    try signIn()
  }

  var did: DID { questions.did(member) }
  var access: String { tokens.withLock { $0.access } }
  var refresh: String { tokens.withLock { $0.refresh } }

  func signIn() throws {
    let session = try questions.call(
      Com.Atproto.Server.CreateSession.self,
      .init(identifier: member.handle, password: "pw-\(member)"))
    tokens.withLock { $0 = (session.accessJwt, session.refreshJwt) }
  }

  func pass(_ seconds: Int64) { time.withLock { $0 += .seconds(seconds) } }

  /// Calls a procedure as the account.
  func call<Procedure: XRPCProcedure>(
    _ procedure: Procedure.Type, _ input: Procedure.Input
  ) throws -> Procedure.Output {
    try questions.call(procedure, input, token: access)
  }

  /// Sends a query as the account.
  func ask<Query: XRPCQuery>(_ query: Query.Type, _ parameters: Query.Parameters) throws -> Query.Output {
    try questions.ask(query, parameters, token: access)
  }

  func follow(_ subject: DID) -> DataValue {
    [
      "$type": "app.bsky.graph.follow", "subject": .string(subject.description),
      "createdAt": "2025-06-01T00:00:00.000Z",
    ]
  }

  func create(
    _ record: DataValue, in collection: NSID = App.Bsky.Graph.Follow.nsid, rkey: RecordKey? = nil,
    validate: Bool? = nil
  ) throws -> Com.Atproto.Repo.CreateRecord.Output {
    try call(
      Com.Atproto.Repo.CreateRecord.self,
      .init(repo: .did(did), collection: collection, rkey: rkey, validate: validate, record: record))
  }

  func delete(
    _ uri: ATURI
  ) throws -> Com.Atproto.Repo.DeleteRecord.Output {
    try call(
      Com.Atproto.Repo.DeleteRecord.self,
      .init(
        repo: .did(did), collection: try unwrap(uri.collection), rkey: try unwrap(uri.recordKey)))
  }

  func apply(
    _ writes: [Com.Atproto.Repo.ApplyWrites.Input.WritesElement], swapCommit: CID? = nil
  ) throws -> Com.Atproto.Repo.ApplyWrites.Output {
    try call(
      Com.Atproto.Repo.ApplyWrites.self,
      .init(repo: .did(did), writes: writes, swapCommit: swapCommit))
  }

  /// All records of a collection, page by page.
  func records(
    _ collection: NSID = App.Bsky.Graph.Follow.nsid, limit: Int = 50, reverse: Bool? = nil
  ) throws -> [Com.Atproto.Repo.ListRecords.Output] {
    try questions.pages(
      {
        try questions.ask(
          Com.Atproto.Repo.ListRecords.self,
          .init(repo: .did(did), collection: collection, limit: limit, cursor: $0, reverse: reverse))
      }, cursor: \.cursor)
  }

  func relationship(_ other: DID) throws -> App.Bsky.Graph.Defs.Relationship {
    let answer = try questions.ask(
      App.Bsky.Graph.GetRelationships.self, .init(actor: .did(did), others: [.did(other)]))
    guard case .relationship(let relationship) = answer.relationships.first else { throw Missing() }
    return relationship
  }

  private func unwrap<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
  }

  struct Missing: Error {}
}
