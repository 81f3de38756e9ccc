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
    case serverHandle, allowsPlainText
  }

  static func encode(_ session: Session) throws -> [UInt8] {
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
    return try JSONCoding.encode(DataValue.object(object))
  }

  /// Decodes a session, including unknown fields.
  ///
  /// - Throws: `DecodingError` or a ``Fault`` that names the field; neither quotes a token.
  static func decode(_ bytes: [UInt8]) throws -> Session {
    guard let object = try JSONCoding.decode(DataValue.self, from: bytes).object else {
      throw Fault("not a JSON object")
    }
    let fields = Fields(object)
    let version: Int64 = try fields.required(.version, \.integer)
    guard version >= oldestVersion else { throw Fault("\"version\" is malformed") }
    guard version <= self.version else {
      throw Fault(
        "written by a newer program (version \(version); this program reads up to \(self.version))",
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

/// Fields of a stored session added by a newer program, which are kept when the session is stored again.
///
/// They may be secret, so descriptions, dumps and reflection do not show them.
struct UnknownFields: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  let values: DataObject

  init(_ values: DataObject = [:]) { self.values = values }

  var description: String { "\(values.count) unknown fields" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
