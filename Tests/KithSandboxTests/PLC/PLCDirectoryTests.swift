// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import Testing

@testable import KithSandbox

@Suite struct PLCDirectoryTests {
  private struct Document: Decodable {
    let id: String
    let alsoKnownAs: [String]
    let verificationMethod: [[String: String]]
    let service: [[String: String]]
  }

  private let questions = SandboxQuestions()

  private func document(_ member: NamedAccount) throws -> Document {
    let answer = questions.raw("/\(questions.did(member))")
    #expect(answer.status == 200)
    #expect(answer.contentType?.hasPrefix("application/did+ld+json") == true)
    return try JSONCoding.decode(Document.self, from: answer.body)
  }

  @Test func returnsTheHandleKeyAndPDSOfADID() throws {
    let alice = try document(.alice)
    let did = questions.did(.alice).description
    #expect(alice.id == did)
    #expect(alice.alsoKnownAs == ["at://alice.test"])
    let key = try #require(alice.verificationMethod.first)
    #expect(key["id"] == "\(did)#atproto" && key["controller"] == did && key["type"] == "Multikey")
    #expect(
      alice.service == [
        [
          "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
          "serviceEndpoint": "http://127.0.0.1:2583",
        ]
      ])
  }

  @Test func givesEachAccountAKeyOfItsOwn() throws {
    let keys = try NamedAccount.allCases.map {
      try document($0).verificationMethod[0]["publicKeyMultibase"] ?? ""
    }
    #expect(Set(keys).count == keys.count)
    #expect(keys.allSatisfy { $0.hasPrefix("zQ3sh") && $0.utf8.count == 49 })
  }

  /// The prefix of secp256k1 keys with 33 bytes, which other implementations also write as `zQ3sh`.
  @Test func makesKeysOfAValidForm() {
    let key = SigningKey(seed: 7)
    #expect(key.bytes.count == 35)
    #expect(key.bytes.prefix(2) == [0xE7, 0x01])
    #expect(key.bytes[2] == 2 || key.bytes[2] == 3)
    #expect(key.bytes == SigningKey(seed: 7).bytes)
  }

  @Test func readsEscapedDIDs() {
    let escaped = questions.did(.alice).description.split(separator: ":").joined(separator: "%3A")
    #expect(questions.raw("/\(escaped)").body == questions.raw("/\(questions.did(.alice))").body)
  }

  @Test func knowsNoOtherAccounts() {
    #expect(questions.raw("/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa").status == 404)
    #expect(questions.raw("/did:plc:").status == 400)
    #expect(questions.raw("/did:").status == 400)
  }
}
