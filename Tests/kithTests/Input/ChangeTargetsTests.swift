// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import Testing

@testable import kith

@Suite struct ChangeTargetsTests {
  private func roll(_ texts: [String], say: (Message) -> Void = { _ in }) async throws -> ChangeTargets {
    try await ChangeTargets(reading: TargetStream(origins: texts.map { .argument($0) }), say: say)
  }

  @Test func keepsTheOrderAndCountsDuplicates() async throws {
    let roll = try await roll([
      "bob.test", "@Alice.test", "alice.test", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "bob.test",
    ])
    #expect(roll.questions.map(\.input) == ["bob.test", "@Alice.test", nil])
    #expect(roll.repetitions == 2)
  }

  @Test func reportsEveryInvalidLineAndFails() async throws {
    var said: [Message] = []
    let fault = await #expect(throws: CommandFault.self) {
      _ = try await roll(["bob.test", "no one", "alice.test", "@"]) { said.append($0) }
    }
    #expect(said.map(\.code) == ["invalidInput", "invalidInput"])
    #expect(said.first?.fields.first == OutputField("input", .string("no one")))
    #expect(fault?.status == .badInput)
    #expect(fault?.said == .invalidNames(2, unnamed: 0))
  }

  @Test func reportsTheNumberOfOtherInvalidLines() async throws {
    var said = 0
    let fault = await #expect(throws: CommandFault.self) {
      _ = try await roll((0..<130).map { "no \($0)" }) { _ in said += 1 }
    }
    #expect(said == 100)
    #expect(fault?.said == .invalidNames(130, unnamed: 30))
  }

  /// Blocking the owner of a list instead of its members is never intended.
  @Test(arguments: [
    "at://alice.test/app.bsky.graph.list/3khuwc44c2222",
    "https://bsky.app/profile/alice.test/lists/3khuwc44c2222",
  ])
  func rejectsAListAsAnAccount(text: String) async throws {
    var said: [Message] = []
    let fault = await #expect(throws: CommandFault.self) { _ = try await roll([text]) { said.append($0) } }
    #expect(said == [.isAList(text)])
    #expect(fault?.status == .badInput)
  }

  @Test func acceptsARecordURIAsItsAccount() async throws {
    let roll = try await roll(["at://alice.test/app.bsky.feed.post/3khuwc44c2222"])
    #expect(roll.questions.count == 1)
  }

  @Test func isEmptyWhereNoAccountIsNamed() async throws {
    #expect(try await roll([]).questions.isEmpty)
  }
}
