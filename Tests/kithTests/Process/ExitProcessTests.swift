// SPDX-License-Identifier: Apache-2.0

import Foundation
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
  @Test(arguments: [5, 12, 20, 30]) func tooFewOpenFilesAreAnErrorAndNoCrash(limit: Int) async throws {
    let terminal = try PseudoTerminal(
      ["ulimit -n \(limit); kith check alice.test bob.test"],
      environment: ["KITH_MESSAGES": "json", "KITH_APPVIEW": "http://127.0.0.1:1"], inShell: true)
    let said = await terminal.read(answering: [])
    #expect(await terminal.status() == 74, "\(said)")
    #expect(said.contains("tooFewDescriptors"))
  }

  /// Dispatch looks at its threads once a second, and ends a process that has no descriptor left for that: connections leave some.
  @Test(arguments: CaseSample.of(6...40, one: 10))
  func aCheckWithFewOpenFilesEndsWithAStatusOfItsOwn(limit: Int) async throws {
    let run = try await SandboxRun(accounts: 14)
    let (output, talk) = (Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["check", "alice.test", "bob.test"],
      environment: run.environment.merging(["KITH_MESSAGES": "json", "PATH": "/usr/bin:/bin"]) { _, new in new
      },
      streams: [nil, output.far, talk.far],
      launcher: ["/bin/sh", "-c", "ulimit -n \(limit); exec \"$0\" \"$@\""])
    for stream in [output, talk] { close(stream.far) }
    let said = await talk.readAll()
    #expect([0, 74].contains(await kith.status()), "\(said)")
    for stream in [output, talk] { close(stream.near) }
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
