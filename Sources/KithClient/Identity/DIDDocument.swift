// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The part of a DID document that the AT Protocol uses: handle, signing key and services.
///
/// Fields and entries of other vocabularies are skipped, and so are endpoints that are not a plain URL. Only
/// the first 16 entries of each kind are read: documents may be hostile, and real ones have one or two.
/// Specification: <https://atproto.com/specs/did#did-documents>.
package struct DIDDocument: Sendable, Hashable, Codable {
  /// The DID that the document describes.
  package let id: DID
  /// Other names, including the handle as `at://alice.test`; a claim until the handle resolves back to this
  /// DID.
  package let alsoKnownAs: [String]
  /// The public keys.
  package let verificationMethod: [VerificationMethod]
  /// The services.
  package let service: [Service]

  /// A public key of the document.
  package struct VerificationMethod: Sendable, Hashable, Codable {
    /// `#atproto`, with or without the DID in front.
    package let id: String
    /// `Multikey`, for the key that signs commits.
    package let type: String
    /// The key in base58btc multibase, including its curve.
    package let publicKeyMultibase: String?
  }

  /// A service of the document.
  package struct Service: Sendable, Hashable, Codable {
    /// `#atproto_pds`, with or without the DID in front.
    package let id: String
    /// `AtprotoPersonalDataServer`, for a PDS.
    package let type: String
    /// The URL as written; nil if the document has a structure instead.
    package let serviceEndpoint: String?

    private enum CodingKeys: CodingKey { case id, type, serviceEndpoint }

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(String.self, forKey: .id)
      type = try container.decode(String.self, forKey: .type)
      serviceEndpoint = try? container.decode(String.self, forKey: .serviceEndpoint)
    }
  }

  private enum CodingKeys: CodingKey { case id, alsoKnownAs, verificationMethod, service }

  /// The maximum size of a document in bytes; real ones have one or two thousand.
  static let mostBytes = 64 << 10
  private static let mostEntries = 16

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(DID.self, forKey: .id)
    func entries<Entry: Decodable>(_ key: CodingKeys) throws -> [Entry] {
      guard container.contains(key), try !container.decodeNil(forKey: key) else { return [] }
      var list = try container.nestedUnkeyedContainer(forKey: key)
      var entries: [Entry] = []
      for _ in 0..<Self.mostEntries where !list.isAtEnd {
        if let entry = try list.decode(Tolerant<Entry>.self).entry { entries.append(entry) }
      }
      return entries
    }
    alsoKnownAs = try entries(.alsoKnownAs)
    verificationMethod = try entries(.verificationMethod)
    service = try entries(.service)
  }

  /// An entry without a type, or with several, is of another vocabulary and skipped.
  private struct Tolerant<Entry: Decodable>: Decodable {
    let entry: Entry?

    init(from decoder: any Decoder) throws { entry = try? Entry(from: decoder) }
  }

  /// The approximate size in memory, in bytes.
  var size: Int {
    let texts =
      alsoKnownAs + verificationMethod.flatMap { [$0.id, $0.type, $0.publicKeyMultibase ?? ""] }
      + service.flatMap { [$0.id, $0.type, $0.serviceEndpoint ?? ""] }
    return texts.reduce(256 + id.description.utf8.count) { $0 + 32 + $1.utf8.count }
  }

  /// The handle that the document claims: the first name that is a valid one.
  package var handle: Handle? {
    for name in alsoKnownAs where name.hasPrefix("at://") {
      if let handle = Handle(String(name.dropFirst("at://".count))) { return handle }
    }
    return nil
  }

  /// The server of the account's repository; nil if the document has none or its URL is invalid.
  package var pds: ServiceURL? {
    endpoint(of: "atproto_pds", type: "AtprotoPersonalDataServer")
  }

  /// The key that signs the account's commits, as a `did:key`; nil if it is not a `Multikey`, because older
  /// types contain the bare key without its curve.
  package var signingKey: DID? {
    verificationMethod.first { isEntry($0.id, named: "atproto") && $0.type == "Multikey" }?
      .publicKeyMultibase.flatMap { DID("did:key:\($0)") }
  }

  /// Returns the URL of a service, by its fragment and type.
  package func endpoint(of fragment: String, type: String) -> ServiceURL? {
    service.first { isEntry($0.id, named: fragment) && $0.type == type }?.serviceEndpoint.flatMap {
      ServiceURL($0)
    }
  }

  private func isEntry(_ entry: String, named fragment: String) -> Bool {
    entry == "#\(fragment)" || entry == "\(id)#\(fragment)"
  }
}
