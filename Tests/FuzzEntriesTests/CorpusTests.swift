// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Every file that fuzzers start from, and what its entry reads of it.
@Suite struct CorpusTests {
  @Test func everyFolderOfTheCorpusIsTested() throws {
    let folder = CorpusPart.fuzzing.appending(path: "Corpus").path()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.sorted() == CorpusPart.allCases.map(\.rawValue))
  }

  @Test(arguments: CorpusPart.allCases)
  func filesAreReadWithoutBreakingAnInvariant(part: CorpusPart) async throws {
    let lines = try await part.lines(part.files())
    #expect(lines == Self.expected[part])
  }

  /// As a fuzzer begins: the same edits in each run.
  @Test(arguments: CorpusPart.allCases)
  func editedFilesBreakNoInvariant(part: CorpusPart) async throws {
    var generator = SeededGenerator(seed: 1)
    var accepted = 0
    for file in try part.files() {
      for _ in 0..<(CaseSample.isWhole ? 1_000 : 20) {
        let bytes = Self.edited(file.bytes, &generator)
        do { accepted += try await part.run(bytes).isEmpty ? 0 : 1 } catch {
          let text = Data(bytes).base64EncodedString()
          Issue.record("\(error), by an edit of \(part.rawValue)/\(file.name), in base64: \(text)")
          return
        }
      }
    }
    #expect(accepted > 0)
  }

  /// A copy of the bytes with a few edits.
  private static func edited(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let position = Int.random(in: 0...bytes.count, using: &generator)
      let end = min(bytes.count, position + Int.random(in: 1...16, using: &generator))
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.removeSubrange(position..<end)
      case 1: bytes.insert(contentsOf: bytes[position..<end], at: position)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: position)
      default: if position < end { bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
      }
    }
    return bytes
  }

  /// The lines of all files by their folder: what each entry accepted, and how many of it.
  private static let expected: [CorpusPart: [String]] = [
    .answers: [
      "animation-webp: picture 1",
      "document: document 1",
      "feed: posts 1",
      "follows: follows 2",
      "notifications: notifications 1",
      "pack: starter pack 1",
      "packs: starter packs 1",
      "page: card 1",
      "photo-jpg: picture 1",
      "photo-png: picture 1",
      "relationships: relationships 29",
    ],
    .identifiers: [
      "1: ATIdentifier 1, DID 1, RecordKey 1, URI 1",
      "10: URI 1",
      "11: LanguageTag 1, RecordKey 1",
      "12: LanguageTag 1, RecordKey 1",
      "13: CID 1, RecordKey 1",
      "14: CID 1, RecordKey 1",
      "15: RecordKey 1",
      "2: ATIdentifier 1, DID 1, URI 1",
      "3: ATIdentifier 1, Handle 1, NSID 1, RecordKey 1",
      "4: ATURI 1, URI 1",
      "5: ATURI 1, URI 1",
      "6: ATIdentifier 1, Handle 1, NSID 1, RecordKey 1",
      "7: CID 1, RecordKey 1, TID 1",
      "8: Datetime 1, RecordKey 1",
      "9: ",
    ],
    .input: [
      "commas: column 3, lines 6, short lines 6",
      "lines: lines 6, short lines 6",
      "semicolons: column 2, lines 3, short lines 3",
    ],
    .json: [
      "follow: DataValue 1, follow 1",
      "followers: DataValue 1, getFollowers 1",
      "preferences: DataValue 1",
      "relationships: DataValue 1, getRelationships 1, rows 1",
      "values: DataValue 1",
    ],
    .streams: [
      "elsewhere: event 2, gap 1, message 2",
      "first: event 3, message 3",
      "masked: control frame 2, message 1",
      "notices: message 2",
      "second: control frame 2, event 5, message 5",
    ],
  ]
}
