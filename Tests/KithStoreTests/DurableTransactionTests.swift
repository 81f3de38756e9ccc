// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithStore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// The number of durable transactions of changes, read from the write-ahead log: a small one rarely waits for
/// the disk.
@Suite struct DurableTransactionTests {
  private let place = TemporaryStore()

  /// The transactions in the write-ahead log: each ends with a frame that has the size of the database
  /// <https://sqlite.org/fileformat2.html#walformat>.
  private func transactions() throws -> Int {
    let log = [UInt8](try Data(contentsOf: URL(filePath: place.folder + "/kith.sqlite-wal")))
    func number(at offset: Int) -> Int { log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    let (header, frame) = (32, 24)
    guard log.count >= header else { return 0 }
    let size = frame + number(at: 8)
    return stride(from: header, to: log.count - size + 1, by: size).count { start in
      // Frames of an earlier use of the file have another salt.
      log[start + 8..<start + 16] == log[16..<24] && number(at: start + 4) != 0
    }
  }

  private func counting(_ work: () async throws -> Void) async throws -> Int {
    let before = try transactions()
    try await work()
    return try transactions() - before
  }

  @Test func countsWhatIsWritten() async throws {
    let store = try place.open()
    let count = try await counting {
      for number in 1..<4 { _ = try await place.job(ChangeSamples.drafts(number..<number + 1), in: store) }
    }
    #expect(count == 3)
  }

  @Test func aSmallChangeTakesAtMostFour() async throws {
    let scene = TapScene(place: place)
    let store = try place.open()
    let engine = try scene.engine(store)
    let count = try await counting {
      let submission = try await engine.submit([.init("user1", .follow(Accounts.did(1)))], as: "follow")
      let job = try #require(submission.job)
      #expect(try await engine.run(job.id, plannedBy: submission.facts) == .done)
    }
    #expect(scene.follows(of: Accounts.did(1)).count == 1)
    #expect(count > 0 && count <= 4)
    // A change that is in effect already takes none.
    let none = try await counting {
      let submission = try await engine.submit([.init("user1", .follow(Accounts.did(1)))], as: "follow")
      #expect(submission.job == nil)
    }
    #expect(none == 0)
  }

  @Test func aTapTakesAtMostFour() async throws {
    let scene = TapScene(place: place)
    let writer = try scene.writer(place.open())
    for change in [
      ChangeIntent.follow(Accounts.did(1)), .mute(Accounts.did(1), .everything), .block(Accounts.did(1)),
    ] {
      let count = try await counting {
        let outcome = try await writer.make(change)
        #expect(outcome.ending == .done)
      }
      #expect(count > 0 && count <= 4, "\(change)")
      let none = try await counting {
        let outcome = try await writer.make(change)
        #expect(outcome.ending == .held)
      }
      #expect(none == 0, "\(change)")
    }
  }

  /// A large one takes two for each commit, and few more.
  @Test func aLargeChangeTakesTwoForEachCommit() async throws {
    let repository = ScriptedRepository()
    let store = try place.open()
    let count = try await counting {
      let job = try await place.job(ChangeSamples.drafts(1..<301), in: store)
      #expect(
        try await place.runner(repository, store, options: .init(writesPerCommit: 20)).runPlanned(job.id)
          == .done)
    }
    #expect(repository.commits.count == 15)
    #expect(count >= 30 && count <= 34)
  }
}
