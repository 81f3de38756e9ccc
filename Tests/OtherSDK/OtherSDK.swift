// SPDX-License-Identifier: Apache-2.0

// The public types of another SDK for the AT Protocol, by name, which an app may import beside Kith.

/// The main type of that SDK.
public actor ATProtoClient {
  /// The methods of `app.bsky.*`.
  public struct App: Sendable {
    public let name = "app.bsky"
  }

  /// The methods of `com.atproto.*`.
  public struct Com: Sendable {
    public let name = "com.atproto"
  }

  public let service: String
  public nonisolated let app = App()
  public nonisolated let com = Com()

  public init(service: String) { self.service = service }

  public func did() throws -> DID { try DID(didString: "did:web:\(service)") }
}

public protocol ATProtocolValue: Sendable, Hashable {}

public struct DID: ATProtocolValue {
  public let authority: String

  public init(didString: String) throws {
    guard didString.hasPrefix("did:") else { throw ATProtocolError.invalidURI(didString) }
    authority = didString
  }
}

public struct Handle: ATProtocolValue {
  public let value: String

  public init(handleString: String) throws { value = handleString }
}

public struct NSID: ATProtocolValue {}
public struct TID: ATProtocolValue {}
public struct CID: ATProtocolValue {}
public struct RecordKey: ATProtocolValue {}
public struct URI: ATProtocolValue {}
public struct ATProtocolURI: ATProtocolValue {}
public struct ATProtocolDate: ATProtocolValue {}
public struct Blob: ATProtocolValue {}
public struct Bytes: ATProtocolValue {}
public struct Session: ATProtocolValue {}

public enum ATIdentifier: ATProtocolValue { case did(DID), handle(Handle) }
public enum ATProtocolError: Error { case invalidURI(String), invalidTID(String) }
public enum ClientEnvironment: Sendable { case production, testing }
