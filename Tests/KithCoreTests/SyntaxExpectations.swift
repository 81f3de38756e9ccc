// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

/// Expects that a text is accepted and keeps its spelling.
func expectValid<Identifier: SyntaxIdentifier>(
  _ type: Identifier.Type, _ text: String, spelled: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do {
    let identifier = try Identifier(parsing: text)
    #expect(identifier.description == spelled ?? text, sourceLocation: sourceLocation)
    #expect(Identifier(identifier.description) == identifier, sourceLocation: sourceLocation)
    let json = try JSONCoding.encode([identifier])
    #expect(
      try JSONCoding.decode([Identifier].self, from: json) == [identifier], sourceLocation: sourceLocation)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}

/// Expects that a text is rejected, with a fault at the given byte if one is given.
func expectInvalid<Identifier: SyntaxIdentifier>(
  _ type: Identifier.Type, _ text: String, at offset: Int? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(Identifier(text) == nil, sourceLocation: sourceLocation)
  let error = #expect(throws: SyntaxError.self, sourceLocation: sourceLocation) {
    try Identifier(parsing: text)
  }
  guard let error else { return }
  #expect(!error.reason.isEmpty, sourceLocation: sourceLocation)
  #expect(0...text.utf8.count ~= error.offset, "\(error)", sourceLocation: sourceLocation)
  if let offset { #expect(error.offset == offset, "\(error)", sourceLocation: sourceLocation) }
}
