// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships

/// The texts of this module's errors, in `errors.txt` (`make wording` writes it).
@Suite struct ErrorCatalogueTests {
  private let other = Accounts.did(1)

  @Test func holdsEverySentence() async throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    try await addQuestions(to: &catalogue)
    addInputs(to: &catalogue)
    addSentences(to: &catalogue)
    #expect(try catalogue.differences() == [])
    let codes = RelationshipError.Code.all.map { "relationship.\($0)" }
    #expect(Set(codes).subtracting(catalogue.codes) == [])
  }

  private func uri(_ collection: String, of did: DID) throws -> ATURI {
    try ATURI(parsing: "at://\(did)/app.bsky.graph.\(collection)/3k2a")
  }

  /// What apps show.
  private func addSentences(to catalogue: inout WordingCatalogue) {
    for code in RelationshipError.Code.all {
      let error = RelationshipError(code, subject: "a.test", detail: "it failed")
      catalogue.add("relationship.\(code) in an app", error.errorDescription ?? "")
    }
    for code in RepositoryError.Code.all {
      catalogue.add("repository.\(code) in an app", RepositoryError(code, detail: "x").errorDescription ?? "")
    }
    for code in ["oneself", "blockedByList", "mutedByList", "notAList", "notAPost", "notLearned", "other"] {
      let refusal = ChangeRefusal(ChangeRefusal.Code(rawValue: code), "it is refused")
      catalogue.add("refusal.\(code) in an app", refusal.errorDescription ?? "")
    }
  }

  // MARK: Questions

  private func addQuestions(to catalogue: inout WordingCatalogue) async throws {
    let method = try NSID(parsing: "app.bsky.graph.getRelationships")
    let errors: [RelationshipError] = [
      .actorNotFound("alice.test"), .accountNotShown(other), .listNotFound(try uri("list", of: other)),
      .postNotFound(try uri("list", of: other)),
      .invalidResponse,
      .clientNotConfigured, .networkError(TransportError(.timedOut, host: "appview.test")),
      .invalidResponse(method, path: "actor", "missing"),
      RelationshipError(IdentityError(.rateLimited, subject: "alice.test", detail: "asked too often")),
      RelationshipError(IdentityError(.unsupportedMethod, subject: "did:key:z", detail: "unknown method")),
    ]
    for error in errors { catalogue.add("relationship.\(error.code)", error) }
    catalogue.add("relationship.refused", RelationshipError(.refused, subject: "alice.test", detail: "no"))
    for name in ["AccountDeactivated", "AccountTakedown"] {
      let transport = ScriptedTransport(responses: [.xrpcError(400, name, "hidden")])
      let call = await #expect(throws: XRPCError.self) {
        try await PDSDouble().client(transport).query(
          App.Bsky.Actor.GetProfile.self, .init(actor: .did(other)))
      }
      let error = try #require(call.flatMap { RelationshipError.hiddenAccount(other, $0) })
      catalogue.add("relationship.\(error.code)", error)
    }
    for name in ["BlockedActor", "BlockedByActor"] {
      let transport = ScriptedTransport(responses: [.xrpcError(400, name, "hidden")])
      let call = await #expect(throws: XRPCError.self) {
        try await PDSDouble().client(transport).query(
          App.Bsky.Feed.GetAuthorFeed.self, .init(actor: .did(other)))
      }
      let error = try #require(call.map { RelationshipError($0, subject: "\(other)") })
      catalogue.add("relationship.\(error.code)", error)
    }
    for fault in [
      PaginationGuard.Fault.longCursor(bytes: 4_096), .endless(pages: 1_000_000), .repeatedCursor("abc"),
      .emptyPages(1_000), .repeatedPages(10),
    ] { catalogue.add("listing", fault) }
  }

  private func addInputs(to catalogue: inout WordingCatalogue) {
    func add(_ body: () throws -> Void) {
      let error = #expect(throws: InputError.self) { try body() }
      if let error { catalogue.add("input", error) }
    }
    for text in [
      "", "https://bsky.app/about", "at://x", "no one", "did:plc:short", "did:key:zabc",
    ] { add { _ = try ActorInput(parsing: text) } }
    for text in ["at://alice.test", "at://alice.test/app.bsky.graph.list/a b"] {
      add { _ = try RecordInput(parsing: text) }
    }
    catalogue.add("input", InputError(text: "no one", reason: "the text is empty", place: "stdin:3"))
  }
}
