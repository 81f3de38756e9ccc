// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithOperations
import KithWriting
import TestSupport
import Testing

/// A workspace with stores in memory, whose services answer from a script. Alice's document names `pds.test`.
final class ScriptedWorkspace: Sendable {
  static let alice = Accounts.did(1)

  let workspace: Workspace
  let transport: ScriptedTransport
  let sessions: InMemorySessionStore
  let known: KnownAccounts
  private let folder: URL

  /// - Parameter answer: the answer of the account's server to a method and a body.
  init(
    sessions: [Session] = [],
    _ answer: @escaping @Sendable (_ method: String, _ body: String) throws -> TransportResponse
  ) throws {
    let store = InMemorySessionStore(sessions)
    let folder = FileManager.default.temporaryDirectory.appending(path: "known-\(UUID().uuidString)")
    let known = KnownAccounts(path: folder.path())
    transport = ScriptedTransport { request in
      let method = RequestQuery(request).method
      if let did = DID(method) { return Self.document(of: did) }
      if method.hasPrefix("app.bsky.") { return TransportResponse(#"{"profiles":[]}"#) }
      return try answer(method, String(decoding: request.body ?? [], as: UTF8.self))
    }
    let proxy = try #require(ServiceReference(did: Accounts.did(9), service: "bsky_appview"))
    let journal = InMemoryJobStore()
    workspace = Workspace(
      ServiceNetwork(
        ServiceNetwork.Services(
          appview: try ServiceURL(parsing: "https://appview.test"),
          plc: try ServiceURL(parsing: "https://plc.test"), proxy: proxy),
        transport: transport, texts: ScriptedTextRecords(), time: ManualClock(.skipping).timeSource()),
      stores: Stores(
        sessions: { store }, knownAccounts: { known }, journal: { _ in journal }, history: { _ in nil }))
    (self.sessions, self.known, self.folder) = (store, known, folder)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private static func document(of did: DID) -> TransportResponse {
    TransportResponse(
      ##"{"id":"\##(did)","service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}]}"##
    )
  }

  /// A session of Alice's.
  static func session(at pds: String = "https://pds.test") throws -> Session {
    let token = try #require(SessionToken("a.b.c"))
    return Session(
      did: alice, handle: Accounts.handle(1), pds: try ServiceURL(parsing: pds), pdsIsUserSpecified: false,
      accessToken: token, refreshToken: token, receivedAt: 0)
  }
}
