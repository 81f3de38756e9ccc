// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// A session as it stands in a file: one JSON object, with the version of its form.
enum SessionDocument {
  /// What is wrong with a file.
  struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  static let version: Int64 = 1

  private enum Field: String, CaseIterable {
    case version, did, handle, pds, pdsIsNamed, accessToken, refreshToken, receivedAt, isActive, status
  }

  static func encode(_ session: Session) throws -> [UInt8] {
    var fields: [String: DataValue] = [
      Field.version.rawValue: .integer(version),
      Field.did.rawValue: .string(session.did.description),
      Field.handle.rawValue: .string(session.handle.description),
      Field.pds.rawValue: .string(session.pds.description),
      Field.pdsIsNamed.rawValue: .bool(session.pdsIsNamed),
      Field.accessToken.rawValue: .string(session.accessToken.secret),
      Field.refreshToken.rawValue: .string(session.refreshToken.secret),
      Field.receivedAt.rawValue: .integer(session.receivedAt),
    ]
    fields[Field.isActive.rawValue] = session.isActive.map(DataValue.bool)
    fields[Field.status.rawValue] = session.status.map(DataValue.string)
    return try JSONCoding.encode(DataValue.object(fields))
  }

  /// Reads a session; what a newer version has added is no reason to guess, and to drop it when saving.
  ///
  /// - Throws: `DecodingError` or ``Fault``; neither quotes a token.
  static func decode(_ bytes: [UInt8]) throws -> Session {
    guard let fields = try JSONCoding.decode(DataValue.self, from: bytes).object else {
      throw Fault("it is no JSON object")
    }
    let known = Set(Field.allCases.map(\.rawValue))
    let stranger = fields.keys.filter { !known.contains($0) }.min()
    guard fields[Field.version.rawValue] == .integer(version), stranger == nil else {
      let reason = stranger.map { " (field \"\($0.shortened(toBytes: 40))\")" } ?? ""
      throw Fault("a newer version wrote it\(reason)")
    }
    func text(_ field: Field) throws -> String {
      guard let text = fields[field.rawValue]?.string else {
        throw Fault("\"\(field.rawValue)\" is missing or no text")
      }
      return text
    }
    func value<Value>(_ field: Field, _ read: (String) -> Value?) throws -> Value {
      guard let value = read(try text(field)) else { throw Fault("\"\(field.rawValue)\" is malformed") }
      return value
    }
    guard let isNamed = fields[Field.pdsIsNamed.rawValue]?.bool,
      let receivedAt = fields[Field.receivedAt.rawValue]?.integer
    else { throw Fault("\"pdsIsNamed\" or \"receivedAt\" is missing or malformed") }
    return Session(
      did: try value(.did) { DID($0) }, handle: try value(.handle) { Handle($0) },
      pds: try value(.pds) { ServiceURL($0) }, pdsIsNamed: isNamed,
      accessToken: try value(.accessToken) { SessionToken($0) },
      refreshToken: try value(.refreshToken) { SessionToken($0) }, receivedAt: receivedAt,
      isActive: fields[Field.isActive.rawValue]?.bool, status: fields[Field.status.rawValue]?.string)
  }
}
