// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

/// Messages on stderr, in the form that the environment selects.
@Suite struct MessageProcessTests {
  @Test(arguments: ["resolve x_y bob.test", "check alice.test x_y bob.test", "lists", "whoami"])
  func bothFormsHaveTheSameContent(line: String) async throws {
    let sandbox = try await SandboxRun(accounts: 14)
    let json = try await sandbox.kith(line)
    let text = try await sandbox.kith(line, environment: ["KITH_MESSAGES": "text"])
    let plain = try await sandbox.kith(line, environment: ["KITH_MESSAGES": ""])
    #expect(try !json.messages.isEmpty)
    let said = try json.messages.filter { $0.level == "error" }.map { "kith: \($0.text)" }
    for run in [text, plain] {
      #expect(run.status == json.status && run.output.isEmpty == json.output.isEmpty)
      #expect(run.talk.split(separator: "\n").prefix(said.count).map(String.init) == said)
    }
  }

  @Test func anUnknownFormIsAUsageError() async throws {
    let run = try await KithRun.inside(["whoami"], environment: ["KITH_MESSAGES": "xml"])
    #expect(run.status == 64 && run.output == "")
    #expect(run.talk.hasPrefix("kith: KITH_MESSAGES: "))
  }

  @Test(arguments: ["soon", "1.5", "3155760001", "-99999999999999999999"])
  func anInvalidShiftOfTheClockIsAUsageError(text: String) async throws {
    let run = try await KithRun.inside(["whoami"], environment: ["KITH_CLOCK_SHIFT": text])
    #expect(run.status == 64 && run.output == "")
    #expect(try run.codes == ["invalidClockShift"])
  }

  @Test func aShiftedClockDatesWhatIsRead() async throws {
    struct Row: Decodable { let checkedAt: String }
    let sandbox = try await SandboxRun(accounts: 14)
    let year = 365 * 86_400
    let before = WallClock.now - .seconds(year)
    let run = try await sandbox.kith(
      "check alice.test bob.test", environment: ["KITH_CLOCK_SHIFT": "\(-year)"])
    let row = try #require(try run.rows(Row.self).first)
    let read = try Datetime(parsing: row.checkedAt).instant
    #expect(read >= before - .seconds(1) && read < before + .seconds(86_400))
  }
}
