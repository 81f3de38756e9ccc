// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A service in a DID document, as `atproto-proxy` names it: `did:web:api.bsky.app#bsky_appview`.
///
/// Specification: <https://atproto.com/specs/xrpc#service-proxying>.
public struct ServiceReference: Sendable, Hashable, CustomStringConvertible {
  /// The DID whose document contains the service.
  public let did: DID
  /// The service's `id` in the document, without the `#`.
  public let service: String

  /// Creates a reference; nil if the fragment is empty or not plain ASCII.
  public init?(did: DID, service: String) {
    guard !service.isEmpty, service.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") })
    else { return nil }
    self.did = did
    self.service = service
  }

  /// Parses a reference; nil if the text is not `DID#SERVICE`.
  public init?(_ text: String) {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    guard parts.count == 2, let did = DID(String(parts[0])) else { return nil }
    self.init(did: did, service: String(parts[1]))
  }

  /// Creates a reference to a service of a host that the source code names.
  init(ofHost host: StaticString, service: StaticString) {
    (did, self.service) = (DID(webHost: host), "\(service)")
  }

  public var description: String { "\(did)#\(service)" }
}
