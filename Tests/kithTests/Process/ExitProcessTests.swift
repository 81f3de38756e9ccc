// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// How a process exits.
@Suite struct ExitProcessTests {
  /// OpenSSL's exit handlers free memory that the thread of a closing transport still uses: one run in a few
  /// hundred crashed. The dynamic loader can log when they run.
  @Test func leavesWithoutTheExitHandlersOfLibraries() async throws {
    let run = try await SandboxRun(accounts: 14).process(
      "check alice.test bob.test", environment: ["LD_DEBUG": "statistics"])
    #expect(run.status == 0)
    #expect(run.talk.contains("runtime linker statistics"))
    #expect(!run.talk.contains("final number of relocations"))
  }

  /// Libraries end the process with a signal if they cannot open their event queues.
  @Test(arguments: [5, 8, 12]) func tooFewOpenFilesAreAnErrorAndNoCrash(limit: Int) async throws {
    let terminal = try PseudoTerminal(
      ["ulimit -n \(limit); kith check alice.test bob.test"],
      environment: ["KITH_MESSAGES": "json", "KITH_APPVIEW": "http://127.0.0.1:1"], inShell: true)
    let said = await terminal.read(answering: [])
    #expect(await terminal.status() == 74, "\(said)")
    #expect(said.contains("tooFewDescriptors"))
  }

  /// A test that exceeds its time limit continues as a cancelled one, and used to bring down all tests.
  @Test(.timeLimit(.minutes(1))) func aRunCancelledBeforeItsStartEndsAtOnce() async throws {
    let run = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await KithRun(["sandbox", "--port", "0"])
    }.value
    #expect(run.status == 128 + 15)
  }
}
