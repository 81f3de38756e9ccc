// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

/// The command with pipes, terminals and signals.
@Suite struct StreamProcessTests {
  /// Closes the process's ends, so end-of-file is seen here.
  private func closeFar(_ streams: Stream...) { for stream in streams { close(stream.far) } }

  /// Each line has its row; stderr gets the first complaints and the number of all.
  @Test(arguments: ["check alice.test -", "check alice.test - --explain", "resolve -"])
  func complaintsAboutMillionsOfLinesAreBounded(line: String) async throws {
    let run = try await SandboxRun(accounts: 14).process(
      line, input: String(repeating: "two words\n", count: 130))
    #expect(run.status == 65 || line.hasSuffix("--explain"))
    let codes = try run.codes
    #expect(codes.count { $0 == "invalidInput" || $0 == "relationship.invalidInput" } == 100, "\(codes)")
    let rest = try #require(try run.message("namesInvalid"))
    #expect(rest.number("count") == 130 && rest.number("unnamed") == 30)
    if !line.hasSuffix("--explain") { #expect(run.output.split(separator: "\n").count == 130) }
  }

  @Test func aClosedReaderEndsTheRunSilently() async throws {
    let sandbox = try await SandboxRun()
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    close(output.near)
    let kith = try RunningKith(
      ["check", "alice.test", "bob.test"], environment: sandbox.environment,
      streams: [input.far, output.far, talk.far])
    closeFar(input, output, talk)
    #expect(await talk.readAll() == "")
    #expect(await kith.status() == 141)
  }

  @Test(arguments: [
    (0, "-", "stdin"), (1, "bob.test", "stdout"),
  ])
  func aClosedStreamIsNotReused(number: Int, target: String, name: String) async throws {
    let sandbox = try await SandboxRun(accounts: 14)
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    var streams: [Int32?] = [input.far, output.far, talk.far]
    streams[number] = nil
    let kith = try RunningKith(
      ["check", "alice.test", target],
      environment: sandbox.environment.merging(["KITH_MESSAGES": "json"]) { _, new in new },
      streams: streams)
    closeFar(input, output, talk)
    let messages = try KithMessage.all(in: await talk.readAll())
    #expect(messages.map(\.code) == ["systemError"])
    #expect(messages.first?.text("file") == name)
    #expect(await kith.status() == 74)
  }

  /// The mode belongs to the open file; any process that shares it may have set it.
  @Test func nonBlockingStreamsAreWaitedFor() async throws {
    let sandbox = try await SandboxRun()
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    for end in [input.far, output.far] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    // F_SETPIPE_SZ of Linux: fewer bytes than the rows.
    _ = fcntl(output.far, 1_031, 4_096)
    let kith = try RunningKith(
      ["check", "alice.test", "-", "--format", "ndjson", "-q"], environment: sandbox.environment,
      streams: [input.far, output.far, talk.far])
    // Keep the read end open here, so writing to an unread stdin raises no signal.
    closeFar(output, talk)
    defer { closeFar(input) }
    let dids = sandbox.sandbox.network.accounts.prefix(100).map(\.did.description)
    var lines = 0
    // stdin is open and empty when all rows have arrived.
    for part in [dids.prefix(50), dids.dropFirst(50)] {
      await input.write(part.joined(separator: "\n") + "\n")
      var rest = part.count
      while rest > 0 {
        let piece = await output.read()
        guard !piece.isEmpty else { break }
        rest -= piece.utf8.count { $0 == UInt8(ascii: "\n") }
      }
      lines += part.count - rest
    }
    close(input.near)
    #expect(await talk.readAll() == "")
    #expect(await kith.status() == 0)
    #expect(lines == 100)
  }

  @Test(arguments: ["ndjson", "json"])
  func anInterruptedRunLeavesCompleteLines(format: String) async throws {
    let sandbox = try await SandboxRun()
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["check", "alice.test", "-", "--format", format],
      environment: sandbox.environment.merging(["KITH_MESSAGES": "json"]) { _, new in new },
      streams: [input.far, output.far, talk.far])
    closeFar(input, output, talk)
    let dids = sandbox.sandbox.network.accounts.prefix(60).map(\.did.description)
    await input.write(dids.joined(separator: "\n") + "\n")
    // stdin stays open: without the signal, the run would wait for more.
    var text = await output.read()
    kith.interrupt()
    text += await output.readAll()
    #expect(await kith.status() == 130)
    let messages = try KithMessage.all(in: await talk.readAll())
    #expect(messages.map(\.code) == ["checkSummary"])
    #expect(messages.first?["interrupted"] == true)
    if format == "json" {
      #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [Any])
    } else {
      #expect(text.hasSuffix("}\n"))
      for line in text.split(separator: "\n") {
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
      }
    }
  }

  /// The screen of a terminal that is both stdout and stderr.
  private func screen(
    _ line: String, columns: UInt16 = 80, environment: [String: String] = [:], status: Int32 = 0,
    latency: Duration = .zero
  ) async throws -> String {
    let sandbox = try await SandboxRun(accounts: 1_000, latency: latency)
    let terminal = try Stream.terminal(columns: columns)
    let kith = try RunningKith(
      line.split(separator: " ").map(String.init),
      environment: sandbox.environment.merging(environment) { _, new in new },
      streams: [terminal.far, terminal.far, terminal.far])
    closeFar(terminal)
    let text = await terminal.readAll()
    #expect(await kith.status() == status)
    return text.replacingOccurrences(of: "\r\n", with: "\n")
  }

  @Test func aTerminalGetsAColouredTable() async throws {
    let faint = "\u{1B}[2m"
    let plain = "\u{1B}[0m"
    #expect(
      try await screen("check alice.test bob.test erin.test -q") == """
        \(faint)TARGET\(plain)     \(faint)FOLLOWS\(plain)      \(faint)BLOCKS\(plain)
        bob.test   \u{1B}[32mmutual\(plain)       \(faint)no\(plain)
        erin.test  followed by  \u{1B}[31mblocks\(plain)

        """)
  }

  @Test(arguments: [
    ("--no-color", [:]), ("-v", ["NO_COLOR": "1"]), ("--no-color", ["CLICOLOR_FORCE": "1"]),
    ("-v", ["TERM": "dumb"]),
  ])
  func coloursCanBeTurnedOff(option: String, environment: [String: String]) async throws {
    let text = Self.withoutProgress(
      try await screen("check alice.test bob.test \(option)", environment: environment))
    #expect(text.contains("bob.test  mutual   no\n"))
    #expect(!text.contains("\u{1B}"))
  }

  /// The text between erasures of the progress line.
  private static func painted(_ text: String) -> [String] { text.components(separatedBy: "\r\u{1B}[K") }

  /// The final screen: how often the progress line is painted depends on the load of the machine.
  private static func withoutProgress(_ text: String) -> String {
    painted(text).filter { $0.wholeMatch(of: /\d+ (of \d+ )?checked.*/) == nil }.joined()
  }

  @Test func progressIsPaintedBetweenRowsAndRemoved() async throws {
    // One call at a time, each slower than the repaint interval.
    let text = try await screen(
      "check alice.test --followers-of alice.test --no-color --concurrency 1",
      environment: ["KITH_MESSAGES": "json"], latency: .milliseconds(120))
    #expect(
      Self.painted(text).contains { $0.wholeMatch(of: /\d+ checked(, .*)?, \d+ calls?/) != nil })
    let visible = Self.withoutProgress(text)
    #expect(visible.hasPrefix("TARGET "))
    let lines = visible.split(separator: "\n")
    #expect(lines.count > 200)
    #expect(lines.dropLast().allSatisfy { !$0.contains("checked") })
    let summary = try #require(try KithMessage.all(in: String(lines.last ?? "")).first)
    // Besides the rows: headings, the coverage message, and the summary.
    #expect(summary.code == "checkSummary" && summary.number("rows") == Int64(lines.count - 3))
  }

  @Test(arguments: [("-q", "xterm"), ("--no-color", "dumb")])
  func progressIsHiddenIfUnwanted(option: String, terminal: String) async throws {
    let text = try await screen(
      "check alice.test --followers-of alice.test \(option)", environment: ["TERM": terminal])
    #expect(!text.contains("\r"))
  }

  @Test(arguments: [(60, 43), (70, 53), (300, 60)])
  func longNamesAreTruncatedToFitTheTerminal(columns: UInt16, cells: Int) async throws {
    let name = "did:web:" + String(repeating: "long.", count: 20) + "test"
    let lines = try await screen("check alice.test bob.test \(name) --no-color -q", columns: columns).split(
      separator: "\n")
    #expect(lines.last == "\(name.prefix(cells - 1))…  no       no")
  }

  @Test func serverResponsesAreHarmlessOnATerminal() async throws {
    let text = try await screen("xrpc query app.bsky.actor.getProfile actor=mallory.test")
    #expect(text.contains("\"displayName\": \"\\u001b[31mMallory"))
    #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
  }

  @Test(arguments: ["table", "csv", "json", "ndjson"])
  func noFormatLetsNamesAffectATerminal(format: String) async throws {
    let seen = try await screen(
      "check alice.test \u{1B}[2J\u{202E}x --format \(format) --no-color", environment: ["TERM": "dumb"],
      status: 65)
    #expect(seen.contains("x"))
    #expect(!seen.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
  }
}
