// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport

@testable import kith

/// What a person types at a terminal and sees there, in order, as a text file has it.
///
/// `$ ` begins a command line, `> ` an answer to its question, `# ` a remark; all else is what appears. Where the
/// environment says `KITH_WORDING=write`, the file is rewritten from the same commands.
struct SessionTranscript {
  private struct Step {
    /// Remarks, the command and the answers, as they stand.
    var typed: [String]
    var command: String
    var answers: [String] = []
    var seen: [String] = []
  }

  /// When a session begins, in seconds since 1970: 2026-11-25T12:00:00Z.
  private static let start: Int64 = 1_795_608_000

  private let file: URL
  private var steps: [Step] = []

  /// - Parameter name: of the file beside the tests, without its ending.
  init(_ name: String) throws {
    file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Transcripts/\(name).txt")
    var remarks: [String] = []
    let text = try String(contentsOf: file, encoding: .utf8)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("# ") {
        remarks.append(String(line))
      } else if line.hasPrefix("$ ") {
        steps.append(Step(typed: remarks + [String(line)], command: String(line.dropFirst(2))))
        remarks = []
      } else if line.hasPrefix("> ") {
        steps[steps.count - 1].typed.append(String(line))
        steps[steps.count - 1].answers.append(String(line.dropFirst(2)))
      } else if !steps.isEmpty, !line.isEmpty {
        steps[steps.count - 1].seen.append(String(line))
      }
    }
  }

  /// Runs all commands again, and returns the lines that differ (`-` in the file, `+` seen).
  func replay(columns: UInt16) async throws -> [String] {
    // Sandbox and command are moved to one date, because the sandbox's accounts post every day.
    let shift = Self.start - WallClock.now.secondsSinceEpoch
    let wall: @Sendable () -> Instant = { WallClock.now + .seconds(shift) }
    let run = try await SandboxRun(accounts: 1_000, wall: wall)
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-session-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    let environment = run.environment.merging([
      "HOME": home.path(), "TERM": "dumb", "LANG": "C.UTF-8", "TZ": "UTC", "KITH_CLOCK_SHIFT": "\(shift)",
      "XDG_STATE_HOME": "\(home.path())/.state",
      "XDG_DATA_HOME": "\(home.path())/.data", "XDG_CACHE_HOME": "\(home.path())/.cache",
    ]) { _, own in own }
    var differences: [String] = []
    var text: [String] = []
    for step in steps {
      let terminal = try PseudoTerminal(
        [step.command], environment: environment, inShell: true, columns: columns, folder: home)
      let today = Datetime(at: wall()).description.prefix(10)
      let seen = Self.lines(await terminal.read(answering: step.answers), today: today)
      text += (text.isEmpty ? [] : [""]) + step.typed + seen
      let changes = seen.difference(from: step.seen).map { change in
        switch change {
        case .insert(_, let line, _): "+ \(line)"
        case .remove(_, let line, _): "- \(line)"
        }
      }
      if !changes.isEmpty { differences += ["$ \(step.command)"] + changes }
    }
    if WordingCatalogue.isWritten {
      try Data((text.joined(separator: "\n") + "\n").utf8).write(to: file)
      return []
    }
    return differences
  }

  /// The lines of a screen, without what differs from run to run.
  private static func lines(_ screen: String, today: Substring) -> [String] {
    let text = screen.replacing("\r\n", with: "\n").replacing("\r", with: "")
      .replacing(/127\.0\.0\.1:\d{4,5}/, with: "127.0.0.1:8799")
      .replacing(/\d{1,2} [A-Z][a-z]{2} \d{4}/, with: "1 Jan 2026")
      .replacing(/\d+\.\d{3} s/, with: "0.000 s")
      .replacing(/\d+ calls?/, with: "N calls")
      .replacing(/in \d+ min/, with: "SOON")
      .replacing(/(app\.bsky\.[a-z.]+\/)[2-7a-z]{13}/, with: { "\($0.1)3kkkkkkkkkkkk" })
      .replacing(/([a-z]\.test\/)[2-7a-z]{13}/, with: { "\($0.1)3kkkkkkkkkkkk" })
      .replacing("\(today)T", with: "2026-01-01T").replacing(/2026-01-01T\d\d:\d\d(:\d\d\.\d{3}Z)?/) {
        match in
        match.1 == nil ? "2026-01-01T00:00" : "2026-01-01T00:00:00.000Z"
      }
      .replacing("\(today)", with: "2026-01-01")
    // A line that begins as a command does would be taken for one.
    return text.split(separator: "\n").map {
      ["$ ", "> ", "# "].contains($0.prefix(2)) ? " \($0)" : String($0)
    }
  }
}
