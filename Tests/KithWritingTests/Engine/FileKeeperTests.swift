// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithWriting

/// Which files are copied before a change, and which an undo can no longer name.
@Suite struct FileKeeperTests {
  private let repository = ScriptedRepository()
  private let journal = InMemoryJobStore()
  private let time = ManualClock(.skipping).timeSource()

  private var keeper: FileKeeper { FileKeeper(repository: repository, journal: journal, time: time) }

  private static func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 100) }

  private func file(_ byte: UInt8, size: Int = 100) throws -> Blob {
    Blob(ref: try CID(parsing: "zScripted10000000\(byte)"), mimeType: "image/png", size: size)
  }

  @Test func whatCannotBeAskedAboutIsNotLost() async throws {
    let (gone, there, silent) = (try file(1), try file(2), try file(3))
    let large = try file(4, size: 100_000_001)
    repository.put(.success(Self.bytes(2)), as: there.ref)
    repository.put(.failure(RepositoryError(.unavailable, detail: "down")), as: silent.ref)
    let all = [gone, there, silent, large]
    #expect(try await keeper.lost(among: all) == [gone.ref])
    #expect(!repository.filesRead.contains(large.ref))
    repository.put(.failure(RepositoryError(.notAuthorized, detail: "sign in again")), as: silent.ref)
    let error = await #expect(throws: RepositoryError.self) { try await keeper.lost(among: all) }
    #expect(error?.code == .notAuthorized)
  }

  @Test func whatWasTriedIsCountedAndNotReadAgain() async throws {
    let (gone, there) = (try file(1), try file(2))
    repository.put(.success(Self.bytes(2)), as: there.ref)
    #expect(try await keeper.keep([gone, there]) == [gone.ref])
    let read = repository.filesRead.count
    #expect(try await keeper.keep([gone, there], besides: [gone.ref, there.ref]) == [gone.ref])
    #expect(repository.filesRead.count == read)
  }

  /// The journal removes what it has kept for too long when it keeps something else.
  @Test func anOldCopyIsReadAgainIfItIsRemovedMeanwhile() async throws {
    let (old, new) = (try file(1), try file(2))
    for (byte, file) in [(UInt8(1), old), (UInt8(2), new)] {
      repository.put(.success(Self.bytes(byte)), as: file.ref)
    }
    let before = time.instant - Duration.seconds(2 * 86_400)
    #expect(try await journal.keep(Self.bytes(1), as: old.ref, at: before))
    #expect(try await keeper.keep([old, new]).isEmpty)
    #expect(repository.filesRead == [new.ref, old.ref])
  }
}
