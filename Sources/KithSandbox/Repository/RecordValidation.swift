// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// Checks records against the lexicons in this package.
struct RecordValidation: Sendable {
  /// The validation status in the answer.
  enum Status {
    case valid, unknown
  }

  private static let checks: [NSID: @Sendable (DataValue) throws -> Void] = Dictionary(
    uniqueKeysWithValues: [
      check(App.Bsky.Actor.Profile.self), check(App.Bsky.Graph.Block.self),
      check(App.Bsky.Graph.Follow.self), check(App.Bsky.Graph.List.self),
      check(App.Bsky.Graph.Listblock.self), check(App.Bsky.Graph.Listitem.self),
      check(App.Bsky.Graph.Starterpack.self), check(App.Bsky.Graph.Verification.self),
    ])

  /// Whether records are always or never validated, regardless of the request; nil if the request decides.
  let always: Bool?

  init(_ dialect: SandboxDialect) {
    switch dialect {
    case .reference: always = nil
    case .lenient: always = false
    case .arroba: always = true
    }
  }

  /// Validates a record.
  ///
  /// - Parameter wanted: what the request asks for: true refuses unknown collections, false skips validation.
  /// - Returns: nil for a record that was not validated.
  /// - Throws: ``XRPCFault`` for a record that violates its lexicon.
  func check(
    _ record: DataValue, in collection: NSID, wanted: Bool?
  ) throws(XRPCFault) -> Status? {
    let wanted = always == true && wanted == false ? nil : wanted
    guard always != false, wanted != false else { return nil }
    if let type = record.type, type != collection.description {
      throw .invalidRequest("Invalid $type: expected \(collection), got \(type)")
    }
    guard let check = Self.checks[collection] else {
      if wanted == true { throw .invalidRequest("Lexicon not found: lex:\(collection)") }
      return .unknown
    }
    do {
      try check(record)
    } catch {
      throw .invalidRequest("Invalid \(collection) record: \(error)")
    }
    return .valid
  }

  private static func check<Record: LexiconRecord>(
    _: Record.Type
  ) -> (NSID, @Sendable (DataValue) throws -> Void) {
    (Record.nsid, { try $0.decode(Record.self).validate() })
  }
}
