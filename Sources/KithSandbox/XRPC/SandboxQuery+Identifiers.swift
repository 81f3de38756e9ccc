// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension SandboxQuery {
  /// Returns a required parameter, parsed.
  func identifier<Identifier: SyntaxIdentifier>(_ name: String) throws(XRPCFault) -> Identifier {
    try Self.read(try required(name), as: name)
  }

  /// Returns an optional parameter, parsed.
  func optionalIdentifier<Identifier: SyntaxIdentifier>(
    _ name: String
  ) throws(XRPCFault) -> Identifier? {
    guard let text = try optional(name) else { return nil }
    return try Self.read(text, as: name)
  }

  /// Returns all values of a repeated parameter, parsed.
  func identifiers<Identifier: SyntaxIdentifier>(_ name: String) throws(XRPCFault) -> [Identifier] {
    var identifiers: [Identifier] = []
    for value in values(name) { identifiers.append(try Self.read(value, as: name)) }
    return identifiers
  }

  private static func read<Identifier: SyntaxIdentifier>(
    _ text: String, as name: String
  ) throws(XRPCFault) -> Identifier {
    do throws(SyntaxError) {
      return try Identifier(parsing: text)
    } catch {
      throw .invalidRequest("\(name): \(error)")
    }
  }
}
