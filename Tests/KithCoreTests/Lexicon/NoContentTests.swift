// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

/// Methods without a response body.
@Suite struct NoContentTests {
  @Test(arguments: ["", "{}", #"{"ok":true}"#])
  func nothingAndJSONAreAnAnswer(body: String) throws {
    #expect(try NoContent(payload: Array(body.utf8)) == NoContent())
  }

  @Test(arguments: ["<!DOCTYPE html><title>Sign in to this network</title>", "{", "\u{FFFD}"])
  func rejectsAnythingElse(body: String) {
    #expect(throws: DecodingError.self) { try NoContent(payload: Array(body.utf8)) }
  }
}
