// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

/// Expects that a check finds a value that its lexicon does not allow, at a path.
func expectInvalid(
  _ path: String, sourceLocation: SourceLocation = #_sourceLocation, _ check: () throws -> Void
) {
  let fault = #expect(throws: ValidationError.self, sourceLocation: sourceLocation) { try check() }
  #expect(fault?.path == path, sourceLocation: sourceLocation)
}
