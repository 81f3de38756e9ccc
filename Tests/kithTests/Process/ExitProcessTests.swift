// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// How a process ends whose work is done.
@Suite struct ExitProcessTests {
  /// OpenSSL's exit handlers take away what the thread of a transport that is closing still uses: one run in a few
  /// hundred died of it. The dynamic loader, told to, says when they run.
  @Test func leavesWithoutTheExitHandlersOfLibraries() async throws {
    let run = try await SandboxRun(accounts: 14).kith(
      "check alice.test bob.test", environment: ["LD_DEBUG": "statistics"])
    #expect(run.status == 0)
    #expect(run.talk.contains("runtime linker statistics"))
    #expect(!run.talk.contains("final number of relocations"))
  }

  /// A test whose time is up goes on as a cancelled one, and took all tests down with it.
  @Test(.timeLimit(.minutes(1))) func aRunCancelledBeforeItsStartEndsAtOnce() async throws {
    let run = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await KithRun(["sandbox", "--port", "0"])
    }.value
    #expect(run.status == 128 + 15)
  }
}
