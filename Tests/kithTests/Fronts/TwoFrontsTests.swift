// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithRelationships
import KithSandbox
import KithWriting
import TestSupport
import Testing

/// The writer of an app and the command carry out the same intents, each in its own copy of a network.
@Suite struct TwoFrontsTests {
  private struct Fronts {
    /// Used by the app only: each command starts without memory.
    let clock = ManualClock(.skipping)
    let app: SandboxApp
    let writer: RelationshipWriter
    let shell: SignedInRun
    /// Other apps of the account, beside the writer and beside the command.
    private(set) var others: (app: SandboxApp, shell: SandboxApp)

    init() async throws {
      let run = try await SandboxRun()
      app = try await SandboxApp(
        run, time: clock.timeSource(wallAtZero: TimeSource.system.instant))
      writer = app.writer()
      shell = try await SignedInRun()
      others = (try await SandboxApp(run), try await SandboxApp(shell.run))
      self.run = run
    }

    private let run: SandboxRun

    /// Ends all sessions; the other apps sign in again.
    mutating func signOut() async throws {
      for sandbox in [run.sandbox, shell.run.sandbox] { sandbox.endSessions(of: app.account) }
      others = (try await SandboxApp(run), try await SandboxApp(shell.run))
    }

    /// Runs a command line; `LIST:name` stands for a list of Grace's.
    private func command(_ line: String) async throws -> KithRun {
      guard let mark = line.range(of: "LIST:") else { return try await shell.kith(line) }
      let list = try others.shell.list(String(line[mark.upperBound...]))
      return try await shell.kith("\(line[..<mark.lowerBound])\(list)")
    }

    func expectAlike(_ intent: FrontStory.Intent) async throws {
      let change = try intent.change(app)
      let result: Result<ChangeOutcome, any Error>
      do { result = .success(try await writer.make(change)) } catch { result = .failure(error) }
      let run = try await self.command(intent.line)
      let (app, command) = (try IntentOutcome(result), try IntentOutcome(run))
      #expect(app == intent.outcome, "\(intent.line)")
      #expect(command == intent.outcome, "\(intent.line)")
      let (one, other) = (try await others.app.graph(), try await others.shell.graph())
      #expect(one == other, "\(intent.line)")
    }
  }

  @Test(arguments: CaseSample.of(FrontStory.all, one: 4))
  func endWithTheSameRecordsAndTheSameOutcome(_ story: FrontStory) async throws {
    var fronts = try await Fronts()
    let before = try await fronts.others.shell.graph()
    for step in story.steps {
      switch step {
      case .intent(let intent):
        try await fronts.expectAlike(intent)
      case .otherApp(let write):
        try await write(fronts.others.app)
        try await write(fronts.others.shell)
      case .later(let span): fronts.clock.advance(by: span)
      case .signOut: try await fronts.signOut()
      }
    }
    #expect(try await fronts.others.shell.graph() != before)
  }
}
