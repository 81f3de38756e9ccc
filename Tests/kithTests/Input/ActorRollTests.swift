// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Relationships
import Testing

@testable import kith

@Suite struct ActorRollTests {
  private func roll(_ texts: [String], say: (String) -> Void = { _ in }) async throws -> ActorRoll {
    try await ActorRoll(reading: TargetStream(origins: texts.map { .argument($0) }), say: say)
  }

  @Test func keepsTheOrderAndCountsWhatIsNamedAgain() async throws {
    let roll = try await roll([
      "bob.test", "@Alice.test", "alice.test", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "bob.test",
    ])
    #expect(roll.questions.map(\.input) == ["bob.test", "@Alice.test", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"])
    #expect(roll.repetitions == 2)
  }

  @Test func namesEveryBadLineAndRefusesTheWhole() async throws {
    var said: [String] = []
    let fault = await #expect(throws: CommandFault.self) {
      _ = try await roll(["bob.test", "no one", "alice.test", "@"]) { said.append($0) }
    }
    #expect(said.count == 2 && said.first?.contains("no one") == true)
    #expect(fault?.status == .badInput)
    #expect(fault?.message == "2 of the names name no account; nothing was done")
  }

  @Test func saysHowManyBadLinesItDidNotName() async throws {
    var said = 0
    let fault = await #expect(throws: CommandFault.self) {
      _ = try await roll((0..<130).map { "no \($0)" }) { _ in said += 1 }
    }
    #expect(said == 100)
    #expect(fault?.message.contains("30 more") == true)
  }

  /// To block its owner in place of its members is never what was meant.
  @Test(arguments: [
    "at://alice.test/app.bsky.graph.list/3khuwc44c2222",
    "https://bsky.app/profile/alice.test/lists/3khuwc44c2222",
  ])
  func takesAListForNoAccount(text: String) async throws {
    var said: [String] = []
    let fault = await #expect(throws: CommandFault.self) { _ = try await roll([text]) { said.append($0) } }
    #expect(said.count == 1 && said[0].contains("names a list"))
    #expect(fault?.status == .badInput)
  }

  @Test func takesARecordOfAnAccountForTheAccount() async throws {
    let roll = try await roll(["at://alice.test/app.bsky.feed.post/3khuwc44c2222"])
    #expect(roll.questions.count == 1)
  }

  @Test func refusesToDoNothing() async throws {
    let fault = await #expect(throws: CommandFault.self) { _ = try await roll([]) }
    #expect(fault?.status == .badInput)
  }
}
