// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import kith

@Suite struct TerminalPromptTests {
  /// Neither supports turning echo off.
  @Test(arguments: ["file", "pipe"]) func refusesToAskForASecretWithEcho(kind: String) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "kith-tty-\(UUID().uuidString)").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    if kind == "pipe" {
      #expect(mkfifo(path, 0o600) == 0)
    } else {
      try Data("typed\n".utf8).write(to: URL(filePath: path))
    }
    let prompt = try #require(TerminalPrompt(path: path))
    defer { prompt.end() }
    let error = await #expect(throws: CommandFault.self) {
      try await prompt.ask("Password: ", isSecret: true)
    }
    #expect(error?.status == .fileTrouble && error?.message?.code == Message.Code.echoStays.rawValue)
    if kind == "file" {
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "typed\n", "nothing was asked")
    }
  }

  /// A shell turns echo on when it takes over the terminal of a stopped process.
  @Test func turnsEchoOffAgainWhenTheProcessContinues() async throws {
    let terminal = try Stream.terminal(columns: 80)
    defer { for end in [terminal.near, terminal.far] { close(end) } }
    let name = try #require(ttyname(terminal.far).map { String(cString: $0) })
    let prompt = try #require(TerminalPrompt(path: name))
    defer { prompt.end() }
    async let answer = prompt.ask("Password: ", isSecret: true)
    var shown = ""
    while !shown.contains("Password: ") { shown += await terminal.read() }
    var settings = termios()
    #expect(tcgetattr(terminal.far, &settings) == 0)
    settings.c_lflag |= tcflag_t(ECHO)
    #expect(tcsetattr(terminal.far, TCSANOW, &settings) == 0)
    kill(getpid(), SIGCONT)
    shown = ""
    while !shown.contains("Password: ") { shown += await terminal.read() }
    await terminal.write("open sesame\n")
    #expect(try await answer == "open sesame")
    shown += await terminal.read()
    #expect(!shown.contains("sesame"))
  }

  @Test func whatWasTypedBeforeAQuestionDoesNotAnswerIt() async throws {
    let terminal = try Stream.terminal(columns: 80)
    defer { for end in [terminal.near, terminal.far] { close(end) } }
    let name = try #require(ttyname(terminal.far).map { String(cString: $0) })
    let prompt = try #require(TerminalPrompt(path: name))
    defer { prompt.end() }
    // An impatient Enter, and lines that are pasted with the first answer.
    await terminal.write("\ny\n")
    for (question, typed) in [("First? ", "n\ny\ny\n"), ("Second? ", "no\n")] {
      async let answer = prompt.ask(question)
      var shown = ""
      while !shown.contains(question) { shown += await terminal.read() }
      await terminal.write(typed)
      #expect(try await answer == typed.prefix { $0 != "\n" })
    }
  }

  @Test func restoresEchoAfterwards() async throws {
    let terminal = try Stream.terminal(columns: 80)
    defer { for end in [terminal.near, terminal.far] { close(end) } }
    let name = try #require(ttyname(terminal.far).map { String(cString: $0) })
    let prompt = try #require(TerminalPrompt(path: name))
    defer { prompt.end() }
    async let answer = prompt.ask("Password: ", isSecret: true)
    var shown = ""
    while !shown.contains("Password: ") { shown += await terminal.read() }
    await terminal.write("open sesame\n")
    #expect(try await answer == "open sesame")
    shown += await terminal.read()
    #expect(!shown.contains("sesame"))
    var settings = termios()
    #expect(tcgetattr(terminal.far, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0)
  }
}
