// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import Testing

@Suite struct DIDDocumentTests {
  private func read(_ json: String) throws -> DIDDocument {
    try JSONCoding.decode(DIDDocument.self, from: Array(json.utf8))
  }

  private func document(
    names: String = #"["at://alice.test"]"#, keys: String = "[]", services: String = "[]"
  ) throws -> DIDDocument {
    try read(
      """
      {"@context":["https://www.w3.org/ns/did/v1"],"id":"did:web:alice.test","alsoKnownAs":\(names),
      "verificationMethod":\(keys),"service":\(services)}
      """)
  }

  private static let key = "zQ3shXjHeiBuRCKmM36cuYnm7YEMzhGnCmCyW92sRJ9pribSF"

  @Test func needsNothingButItsId() throws {
    let document = try read(#"{"id":"did:web:alice.test"}"#)
    #expect(document.handle == nil)
    #expect(document.pds == nil)
    #expect(document.signingKey == nil)
  }

  @Test(arguments: [
    "{}", #"{"id":"alice.test"}"#, #"{"id":7}"#, "[]", #"{"id":"did:web:a.test","service":{}}"#,
  ])
  func rejectsWhatIsNotADocument(json: String) {
    #expect(throws: DecodingError.self) { try read(json) }
  }

  @Test(arguments: [
    (#"["at://alice.test"]"#, "alice.test"), (#"["at://ALICE.test"]"#, "alice.test"),
    (#"["https://alice.example","at://alice.test","at://second.test"]"#, "alice.test"),
    (#"["at://not a handle","at://alice.test"]"#, "alice.test"),
    (#"[{"odd":1},7,"at://alice.test"]"#, "alice.test"),
  ]) func takesTheFirstHandleAmongItsNames(names: String, handle: String) throws {
    #expect(try document(names: names).handle?.description == handle)
  }

  @Test(arguments: [
    "[]", #"["https://alice.test"]"#, #"["at://"]"#, #"["at://alice.test/app.bsky.feed.post"]"#,
  ])
  func claimsNoHandle(names: String) throws {
    #expect(try document(names: names).handle == nil)
  }

  @Test(arguments: ["#atproto_pds", "did:web:alice.test#atproto_pds"])
  func findsThePDSByARelativeAndByAnAbsoluteId(id: String) throws {
    let services = """
      [{"id":"#bsky_notif","type":"BskyNotificationService","serviceEndpoint":"https://notif.test"},
      {"id":"\(id)","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test/"}]
      """
    #expect(try document(services: services).pds?.description == "https://pds.test")
  }

  @Test(arguments: [
    ##"[{"id":"#atproto_pds","type":"Other","serviceEndpoint":"https://pds.test"}]"##,
    ##"[{"id":"did:web:mallory.test#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}]"##,
    ##"[{"id":"atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}]"##,
    ##"[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"ftp://pds.test"}]"##,
    ##"[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://me:pw@pds.test"}]"##,
    ##"[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":{"uri":"https://pds.test"}}]"##,
    ##"[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":["https://pds.test"]}]"##,
    ##"[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer"}]"##,
  ]) func findsNoPDSIfNoneIsValid(services: String) throws {
    #expect(try document(services: services).pds == nil)
  }

  @Test func looksPastEntriesOfOtherVocabularies() throws {
    let services = """
      [7,{"type":["LinkedDomains","Other"],"id":"#odd","serviceEndpoint":{}},{"serviceEndpoint":"https://x.test"},
      {"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}]
      """
    let keys = """
      [{"id":"#jwk","publicKeyJwk":{}},"did:web:alice.test#ref",
      {"id":"#atproto","type":"Multikey","controller":"did:web:alice.test","publicKeyMultibase":"\(Self.key)"}]
      """
    let document = try document(keys: keys, services: services)
    #expect(document.pds?.host == "pds.test")
    #expect(document.signingKey?.description == "did:key:\(Self.key)")
  }

  /// Older types have the bare key; read as a Multikey it would be another key.
  @Test(arguments: [
    "EcdsaSecp256k1VerificationKey2019", "EcdsaSecp256r1VerificationKey2019", "Ed25519VerificationKey2020",
  ])
  func takesNoKeyOfAnOlderType(type: String) throws {
    let keys = ##"[{"id":"#atproto","type":"\##(type)","publicKeyMultibase":"\##(Self.key)"}]"##
    #expect(try document(keys: keys).signingKey == nil)
  }

  @Test(arguments: [
    ##"[{"id":"#other","type":"Multikey","publicKeyMultibase":"zAbc"}]"##,
    ##"[{"id":"#atproto","type":"Multikey"}]"##,
    ##"[{"id":"#atproto","type":"Multikey","publicKeyMultibase":"not a key"}]"##,
  ]) func findsNoKeyIfNoneIsValid(keys: String) throws {
    #expect(try document(keys: keys).signingKey == nil)
  }

  @Test func readsSixteenEntriesOfEachKind() throws {
    let names = (1...40).map { "\"https://\($0).example\"" }.joined(separator: ",")
    #expect(try document(names: "[\(names)]").alsoKnownAs.count == 16)
    #expect(try document(names: "[\(names),\"at://alice.test\"]").handle == nil)
    let services = (1...40).map { ##"{"id":"#\##($0)","type":"X","serviceEndpoint":"https://a.example"}"## }
      .joined(separator: ",")
    #expect(try document(services: "[\(services)]").service.count == 16)
    let keys = (1...40).map { ##"{"id":"#\##($0)","type":"X"}"## }.joined(separator: ",")
    #expect(try document(keys: "[\(keys)]").verificationMethod.count == 16)
  }
}
