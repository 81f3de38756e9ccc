// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import kith

@Suite struct OutputDescriptorTests {
  @Test func aNonBlockingPipeLosesNothing() async throws {
    let pipe = Stream.output()
    _ = fcntl(pipe.far, F_SETFL, fcntl(pipe.far, F_GETFL) | O_NONBLOCK)
    // More than any pipe holds.
    let bytes = (0..<3_000_000).map { UInt8(ascii: "a") + UInt8($0 % 23) }
    async let fault = blocking { () -> CommandFault? in
      defer { close(pipe.far) }
      do throws(CommandFault) {
        try OutputDescriptor(number: pipe.far, name: "pipe").write(bytes)
        return nil
      } catch {
        return error
      }
    }
    let text = await pipe.readAll()
    close(pipe.near)
    #expect(await fault == nil)
    let isWhole = Array(text.utf8) == bytes
    #expect(isWhole, "\(text.utf8.count) bytes")
  }
}
