// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The file format of a stored session: one JSON object with a format version.
///
/// Versions 1 and 2 are read, version 2 is written. They have the same fields; programs that write version 2
/// also keep fields that they do not know. Commit 4b99413, which wrote version 1, rejects version 2: to go
/// back to it, an account that signed in with a newer program has to sign in again.
///
/// A field that older programs may ignore is added to ``Field`` without a new version: it has a default when
/// absent, and older programs keep it. The version increases when a field changes its meaning, or when a
/// program that ignores a new field would do harm.
///
/// `credentials` says how the tokens authorize calls. Only `bearer` is known, which is also meant if the field is
/// absent. A session of any other kind is rejected, so that tokens that are bound to a key are never sent as bearer
/// tokens. Programs that do not know the field ignore it, so a new kind comes with a new version.
enum SessionDocument {
  /// What is wrong with a file.
  struct Fault: Error, CustomStringConvertible {
    let description: String
    /// Whether the file is intact but was written by a newer program.
    let isNewer: Bool

    init(_ description: String, isNewer: Bool = false) {
      self.description = description
      self.isNewer = isNewer
    }
  }

  /// The version that is written.
  static let version: Int64 = 2
  private static let oldestVersion: Int64 = 1

  private enum Field: String, CaseIterable {
    case version, did, handle, pds, pdsIsUserSpecified = "pdsIsNamed", accessToken, refreshToken, receivedAt,
      isActive,
      status
    case serverHandle, allowsPlainText, credentials
  }

  /// The kind of credentials that this program can use.
  private static let bearer = "bearer"

  static func encode(_ session: Session) throws -> [UInt8] {
    try JSONCoding.encode(DataValue.object(object(of: session)))
  }

  /// The document of a session, including unknown fields.
  static func object(of session: Session) -> DataObject {
    var fields: [Field: DataValue] = [
      .version: .integer(version),
      .did: .string(session.did.description),
      .handle: .string(session.handle.description),
      .pds: .string(session.pds.description),
      .pdsIsUserSpecified: .bool(session.pdsIsUserSpecified),
      .accessToken: .string(session.accessToken.secret),
      .refreshToken: .string(session.refreshToken.secret),
      .receivedAt: .integer(session.receivedAt.microsecondsSinceEpoch),
    ]
    fields[.isActive] = session.isActive.map(DataValue.bool)
    fields[.status] = session.status.map(DataValue.string)
    fields[.serverHandle] = session.serverHandle.map { .string($0.description) }
    if session.allowsPlainText { fields[.allowsPlainText] = .bool(true) }
    var object = session.unknownFields.values
    for (field, value) in fields { object[field.rawValue] = value }
    return object
  }

  /// Decodes a session, including unknown fields.
  ///
  /// - Throws: `DecodingError` or a ``Fault`` that names the field; neither quotes a token.
  static func decode(_ bytes: [UInt8]) throws -> Session {
    guard let object = try JSONCoding.decode(DataValue.self, from: bytes).object else {
      throw Fault("not a JSON object")
    }
    return try session(in: object)
  }

  /// Reads a session, including unknown fields.
  static func session(in object: DataObject) throws(Fault) -> Session {
    let fields = Fields(object)
    let version: Int64 = try fields.required(.version, \.integer)
    guard version >= oldestVersion else { throw Fault("\"version\" is malformed") }
    guard version <= self.version else {
      throw Fault(
        "written by a newer program (version \(version); this program reads up to \(self.version))",
        isNewer: true)
    }
    let credentials = try fields.optional(.credentials, \.string) ?? bearer
    guard credentials == bearer else {
      throw Fault(
        "written by a newer program (credentials \"\(credentials.shortened(toBytes: 32))\"; this program knows \"\(bearer)\")",
        isNewer: true)
    }
    var session = Session(
      did: try fields.required(.did) { $0.string.flatMap { DID($0) } },
      handle: try fields.required(.handle) { $0.string.flatMap { Handle($0) } },
      pds: try fields.required(.pds) { $0.string.flatMap { ServiceURL($0) } },
      pdsIsUserSpecified: try fields.required(.pdsIsUserSpecified, \.bool),
      accessToken: try fields.required(.accessToken) { $0.string.flatMap { SessionToken($0) } },
      refreshToken: try fields.required(.refreshToken) { $0.string.flatMap { SessionToken($0) } },
      receivedAt: try fields.required(.receivedAt) { $0.integer.map(Instant.init(microsecondsSinceEpoch:)) },
      isActive: try fields.optional(.isActive, \.bool), status: try fields.optional(.status, \.string))
    session.serverHandle = try fields.optional(.serverHandle) { $0.string.flatMap { Handle($0) } }
    session.allowsPlainText = try fields.optional(.allowsPlainText, \.bool) ?? false
    session.unknownFields = UnknownFields(object.filter { Field(rawValue: $0.key) == nil })
    return session
  }

  /// Decodes known fields; errors name the field but not its value.
  private struct Fields {
    let object: DataObject

    init(_ object: DataObject) { self.object = object }

    func required<Value>(_ field: Field, _ read: (DataValue) -> Value?) throws(Fault) -> Value {
      guard let value = try optional(field, read) else { throw Fault("\"\(field.rawValue)\" is missing") }
      return value
    }

    /// - Returns: nil if the field is absent or null.
    func optional<Value>(_ field: Field, _ read: (DataValue) -> Value?) throws(Fault) -> Value? {
      guard let stored = object[field.rawValue], stored != .null else { return nil }
      guard let value = read(stored) else { throw Fault("\"\(field.rawValue)\" is malformed") }
      return value
    }
  }
}

/// A session is coded as the document of ``SessionFolder``, so that nothing is lost, fields of newer programs included.
///
/// The document contains the tokens: keep it only where secrets are kept, such as a keychain.
extension Session: Codable {
  /// - Throws: `DecodingError` that names the field and does not quote its value.
  public init(from decoder: any Decoder) throws {
    func corrupted(_ reason: String) -> DecodingError {
      .dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: reason))
    }
    guard let object = try DataValue(from: decoder).object else { throw corrupted("not an object") }
    do throws(SessionDocument.Fault) { self = try SessionDocument.session(in: object) } catch {
      throw corrupted(error.description)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    try DataValue.object(SessionDocument.object(of: self)).encode(to: encoder)
  }
}

/// Fields of a stored session added by a newer program, which are kept when the session is stored again.
///
/// They may be secret, so descriptions, dumps and reflection do not show them.
struct UnknownFields: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  let values: DataObject

  init(_ values: DataObject = [:]) { self.values = values }

  var description: String { "\(values.count) unknown fields" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
