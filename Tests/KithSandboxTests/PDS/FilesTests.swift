// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import TestSupport
import Testing

@testable import KithSandbox

/// Files: uploaded, named by records, and deleted with them.
@Suite struct FilesTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

  private func upload(
    _ bytes: [UInt8], as type: String? = "application/octet-stream", by alice: PDSQuestions
  ) throws -> Blob {
    let answer = rawUpload(bytes, as: type, by: alice)
    guard answer.status == 200 else { throw alice.questions.fault(of: answer) }
    return try Com.Atproto.Repo.UploadBlob.Output(payload: answer.body).blob
  }

  private func rawUpload(_ bytes: [UInt8], as type: String?, by alice: PDSQuestions) -> LocalResponse {
    alice.questions.origin.answer(
      LocalRequest(
        method: "POST", path: "/xrpc/com.atproto.repo.uploadBlob", authorization: "Bearer \(alice.access)",
        contentType: type, body: bytes))
  }

  private func write(_ blob: Blob?, by alice: PDSQuestions) throws {
    var profile: DataValue = ["$type": "app.bsky.actor.profile", "displayName": "Alice"]
    if let blob, case .object(var fields) = profile {
      fields["avatar"] = [
        "$type": "blob", "ref": .link(blob.ref), "mimeType": .string(blob.mimeType),
        "size": .integer(Int64(blob.size ?? 0)),
      ]
      profile = .object(fields)
    }
    _ = try alice.call(
      Com.Atproto.Repo.PutRecord.self,
      .init(
        repo: .did(alice.did), collection: App.Bsky.Actor.Profile.nsid, rkey: .literalSelf, record: profile))
  }

  private func download(_ blob: Blob, of alice: PDSQuestions) -> LocalResponse {
    alice.questions.raw("/xrpc/com.atproto.sync.getBlob", query: "did=\(alice.did)&cid=\(blob.ref)")
  }

  private func name(of error: (any Error)?) -> String? { (error as? XRPCFault)?.name }

  @Test func aFileHasTheTypeOfItsFirstBytesAndIsPublicOnceItIsNamed() throws {
    let alice = try PDSQuestions()
    let blob = try upload(Self.png, as: "text/plain", by: alice)
    #expect(blob.mimeType == "image/png" && blob.size == Self.png.count)
    #expect(try upload(Self.png, by: alice).ref == blob.ref)
    #expect(download(blob, of: alice).status == 400)
    try write(blob, by: alice)
    let file = download(blob, of: alice)
    #expect(file.status == 200 && file.body == Self.png && file.contentType == "image/png")
    let own = try upload(Array("hello".utf8), as: "text/plain; charset=utf-8", by: alice)
    #expect(own.mimeType == "text/plain")
  }

  @Test func aRecordNamesFilesThatAreThereWithTheirTypeAndSize() throws {
    let alice = try PDSQuestions()
    let blob = try upload(Self.png, by: alice)
    for (wrong, expected) in [
      (Blob(ref: Identities.blobCID(seed: 7), mimeType: "image/png", size: 3), "BlobNotFound"),
      (Blob(ref: blob.ref, mimeType: "image/jpeg", size: blob.size), "InvalidMimeType"),
      (Blob(ref: blob.ref, mimeType: "image/png", size: 4), "InvalidSize"),
    ] {
      let error = #expect(throws: XRPCFault.self) { try write(wrong, by: alice) }
      #expect(error?.name == expected)
    }
    // The file of another account does not count.
    let bob = try PDSQuestions(.bob)
    #expect(throws: XRPCFault.self) { try write(blob, by: bob) }
  }

  @Test func aFileThatNoRecordNamesIsDeletedAfterAnHour() throws {
    let alice = try PDSQuestions()
    let blob = try upload(Self.png, by: alice)
    alice.pass(3_601)
    let error = #expect(throws: XRPCFault.self) { try write(blob, by: alice) }
    #expect(error?.name == "BlobNotFound")
    try write(try upload(Self.png, by: alice), by: alice)
    alice.pass(3_601)
    #expect(download(blob, of: alice).status == 200)
  }

  @Test func aFileIsDeletedWithTheLastRecordThatNamesIt() throws {
    let alice = try PDSQuestions()
    let blob = try upload(Self.png, by: alice)
    try write(blob, by: alice)
    try write(nil, by: alice)
    #expect(download(blob, of: alice).status == 400)
    let error = #expect(throws: XRPCFault.self) { try write(blob, by: alice) }
    #expect(error?.name == "BlobNotFound")
  }

  @Test func uploadsAreBounded() throws {
    let alice = try PDSQuestions()
    let limit = try alice.questions.ask(Com.Atproto.Server.DescribeServer.self, .init()).blobUploadLimit
    let most = try #require(limit)
    #expect(rawUpload([UInt8](repeating: 0, count: most + 1), as: "image/png", by: alice).status == 413)
    #expect(rawUpload(Self.png, as: nil, by: alice).status == 400)
    for _ in 0..<Files.mostPerDay { _ = try upload(Self.png, by: alice) }
    #expect(rawUpload(Self.png, as: "image/png", by: alice).status == 429)
    alice.pass(86_401)
    try alice.signIn()
    #expect(rawUpload(Self.png, as: "image/png", by: alice).status == 200)
    let stranger = alice.questions.origin.answer(
      LocalRequest(
        method: "POST", path: "/xrpc/com.atproto.repo.uploadBlob", contentType: "image/png", body: Self.png))
    #expect(stranger.status == 401)
  }
}
