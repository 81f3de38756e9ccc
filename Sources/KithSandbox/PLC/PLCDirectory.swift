// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// The directory with the handle, the key and the PDS of each `did:plc`.
///
/// Specification: <https://web.plc.directory/spec/v0.1/did-plc>.
struct PLCDirectory: Sendable {
  let live: LiveNetwork
  /// The URL of the PDS that all accounts are on.
  let pds: String

  private var network: SandboxNetwork { live.network }

  /// Whether a percent-encoded path is that of a DID document: `/did:…`.
  static func isDocument(path: String) -> Bool {
    guard let decoded = try? QueryString.decode(path.utf8) else { return false }
    return decoded.hasPrefix("/did:")
  }

  /// Returns the document of an account. Documents of deactivated and taken-down accounts remain; a deleted
  /// account has a tombstone.
  ///
  /// - Throws: ``XRPCFault`` 400 for an invalid DID. An unregistered DID is answered with 404, a tombstone
  ///   with 410.
  func document(path: String) throws -> LocalResponse {
    let text = try QueryString.decode(path.utf8.dropFirst())
    guard let did = DID(text) else { throw XRPCFault.invalidRequest("not a valid DID: \(text)") }
    guard let index = network.index(of: did) else {
      return LocalResponse(
        status: 404, body: try JSONCoding.encode(Absence(message: "DID not registered: \(text)")))
    }
    guard live.standings.status(at: index) != .deleted else {
      return LocalResponse(
        status: 410, body: try JSONCoding.encode(Absence(message: "DID not available: \(text)")))
    }
    return LocalResponse(
      contentType: "application/did+ld+json; charset=utf-8", body: try JSONCoding.encode(document(at: index)))
  }

  /// Returns the document of the account with this number.
  func document(at index: Int) -> Document {
    let did = network.dids[index].description
    let key = SigningKey(seed: SplitMix64.mix(network.configuration.seed) ^ UInt64(index))
    return Document(
      context: [
        "https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1",
        "https://w3id.org/security/suites/secp256k1-2019/v1",
      ],
      id: did, alsoKnownAs: ["at://\(live.standings.handle(at: index))"],
      verificationMethod: [
        Document.Method(
          id: "\(did)#atproto", type: "Multikey", controller: did, publicKeyMultibase: key.multibase)
      ],
      service: [
        Document.Service(id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: pds)
      ])
  }

  /// The error body of the directory, which has one field instead of XRPC's two.
  private struct Absence: Codable {
    let message: String
  }

  struct Document: Codable {
    let context: [String]
    let id: String
    let alsoKnownAs: [String]
    let verificationMethod: [Method]
    let service: [Service]

    struct Method: Codable {
      let id: String
      let type: String
      let controller: String
      let publicKeyMultibase: String
    }

    struct Service: Codable {
      let id: String
      let type: String
      let serviceEndpoint: String
    }

    enum CodingKeys: String, CodingKey {
      case context = "@context"
      case id, alsoKnownAs, verificationMethod, service
    }
  }
}
