// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct SessionDocumentTests {
  /// As commit 4b99413 wrote it.
  private static let first: DataObject = [
    "version": 1, "did": .string(Accounts.did(1).description), "handle": "alice.test",
    "pds": "http://127.0.0.1:2583", "pdsIsNamed": true, "accessToken": "open-sesame",
    "refreshToken": "close-sesame", "receivedAt": 1_760_000_000_000_000, "isActive": false,
    "status": "deactivated",
  ]

  private func document(_ changes: [String: DataValue?] = [:]) throws -> [UInt8] {
    var fields = Self.first
    for (field, value) in changes { fields[field] = value }
    return try JSONCoding.encode(DataValue.object(fields))
  }

  private func fields(_ session: Session) throws -> DataObject? {
    try JSONCoding.decode(DataValue.self, from: SessionDocument.encode(session)).object
  }

  private func fault(_ bytes: [UInt8]) -> (any Error)? {
    do {
      _ = try SessionDocument.decode(bytes)
      return nil
    } catch { return error }
  }

  @Test func readsVersionOne() throws {
    let session = try SessionDocument.decode(document())
    #expect(session.did == Accounts.did(1) && session.handle == Handle("alice.test"))
    #expect(session.pds == ServiceURL("http://127.0.0.1:2583") && session.pdsIsUserSpecified)
    #expect(session.accessToken.secret == "open-sesame" && session.refreshToken.secret == "close-sesame")
    #expect(session.receivedAt == 1_760_000_000_000_000)
    #expect(session.isActive == false && session.status == "deactivated")
  }

  @Test func writesVersionTwoWithTheSameFields() throws {
    let written = try fields(SessionDocument.decode(document()))
    #expect(written == Self.first.merging(["version": 2]) { _, new in new })
  }

  @Test(arguments: [1, 2] as [DataValue]) func keepsUnknownFields(version: DataValue) throws {
    let added: DataObject = [
      "aFuture": ["is": [1, "bright", nil]], "insecure": true, "nothing": .null,
    ]
    var changes: [String: DataValue?] = ["version": version]
    for (name, value) in added { changes[name] = value }
    let read = try SessionDocument.decode(document(changes))
    #expect(read.unknownFields.values == added)
    let written = try SessionDocument.encode(read)
    #expect(try SessionDocument.decode(written) == read)
    let fields = try #require(try JSONCoding.decode(DataValue.self, from: written).object)
    #expect(fields == Self.first.merging(added) { $1 }.merging(["version": 2]) { $1 })
  }

  @Test func saysNothingOfUnknownFields() throws {
    let session = try SessionDocument.decode(document(["key": "open-sesame"]))
    var words = "\(session) \(session.unknownFields)"
    dump(session, to: &words)
    #expect(!words.contains("sesame"))
    #expect(session.unknownFields.values == ["key": "open-sesame"])
  }

  @Test(arguments: [3, 4_000_000_000] as [DataValue]) func refusesNewerVersions(version: DataValue) throws {
    let found = try #require(fault(document(["version": version])) as? SessionDocument.Fault)
    #expect(found.isNewer)
  }

  @Test(
    arguments: [
      ("version", nil), ("version", "1"), ("version", 0), ("version", -1), ("did", nil), ("did", "sesame"),
      ("handle", 1), ("handle", "sesame sesame"), ("pds", "sesame"), ("pds", .null),
      ("pdsIsNamed", "sesame"),
      ("pdsIsNamed", nil), ("accessToken", "open sesame"), ("accessToken", ["sesame"]),
      ("accessToken", nil),
      ("refreshToken", "sesame\n"), ("refreshToken", ""), ("receivedAt", "sesame"), ("receivedAt", nil),
      ("isActive", "sesame"), ("status", ["sesame": true]),
    ] as [(String, DataValue?)])
  func namesTheFieldAtFaultWithoutQuotingIt(field: String, value: DataValue?) throws {
    let found = try #require(fault(document([field: value])) as? SessionDocument.Fault)
    #expect(!found.isNewer)
    #expect(found.description.contains("\"\(field)\""))
    var words = "\(found)"
    dump(found, to: &words)
    #expect(!words.contains("sesame"))
  }

  @Test(arguments: ["", "[]", "\"open-sesame\"", #"{"accessToken":"open-sesame""#, "\u{0}"])
  func rejectsWhatIsNotAnObjectWithoutQuotingIt(text: String) throws {
    let found = try #require(fault(Array(text.utf8)))
    var words = "\(found)"
    dump(found, to: &words)
    #expect(!words.contains("sesame"))
  }

  @Test func keepsWhatTheUserAllowedAndWhatTheServerSays() throws {
    var session = try SessionDocument.decode(document())
    #expect(!session.allowsPlainText && session.serverHandle == nil)
    session.allowsPlainText = true
    session.serverHandle = Handle("other.test")
    #expect(try SessionDocument.decode(SessionDocument.encode(session)) == session)
    #expect(try fields(session)?["allowsPlainText"] == true)
  }

  @Test(arguments: [nil, .null, "bearer"] as [DataValue?])
  func readsBearerCredentials(kind: DataValue?) throws {
    let session = try SessionDocument.decode(document(["credentials": kind]))
    #expect(session.accessToken.secret == "open-sesame")
    #expect(try fields(session)?["credentials"] == nil)
  }

  @Test func refusesCredentialsOfAnotherKind() throws {
    // Such a session may lack what others have.
    let bytes = try document(["credentials": "dpop", "accessToken": nil])
    let found = try #require(fault(bytes) as? SessionDocument.Fault)
    #expect(found.isNewer && found.description.contains("\"dpop\""))
    let malformed = try #require(fault(document(["credentials": 1])) as? SessionDocument.Fault)
    #expect(!malformed.isNewer && malformed.description.contains("\"credentials\""))
  }

  @Test func isCodedAsTheDocument() throws {
    var session = try SessionDocument.decode(document(["aFuture": ["is": "bright"]]))
    session.allowsPlainText = true
    session.serverHandle = Handle("other.test")
    let coded = try JSONEncoder().encode(session)
    #expect(try JSONDecoder().decode(Session.self, from: coded) == session)
    #expect(try SessionDocument.decode(Array(coded)) == session)
    #expect(try JSONCoding.decode(Session.self, from: SessionDocument.encode(session)) == session)
  }

  @Test(arguments: ["accessToken", "refreshToken", "did", "receivedAt"])
  func namesTheFieldAtFaultWhenDecodedWithoutQuotingIt(field: String) throws {
    let bytes = try document([field: "sesame sesame"])
    let error = try #require(throws: DecodingError.self) {
      try JSONDecoder().decode(Session.self, from: Data(bytes))
    }
    var words = "\(error)"
    dump(error, to: &words)
    #expect(words.contains(field) && !words.contains("sesame"))
  }
}
