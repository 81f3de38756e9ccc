// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithSandbox
import Testing

@testable import kith_sandbox

@Suite struct StreamOptionsTests {
  private func stream(_ line: String) throws -> SandboxStream {
    try RunCommand.parse(line.split(separator: " ").map(String.init)).streaming.stream
  }

  @Test func withoutOptionsTheStreamHasNoFaults() throws {
    #expect(try stream("") == SandboxStream())
  }

  @Test func eachIsRead() throws {
    var expected = SandboxStream()
    expected.isLegacy = true
    (expected.window, expected.repeats, expected.refusals) = (7, 2, 3)
    expected.ending = SandboxStream.Ending(.dropped, after: 5)
    let line = "--legacy-stream --stream-window 7 --stream-drop 5 --stream-repeat 2 --stream-refusals 3"
    #expect(try stream(line) == expected)
  }
}
