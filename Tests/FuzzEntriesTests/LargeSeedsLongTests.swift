// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Answers of some hundred kilobytes, which `make fuzz` starts from, too.
@Suite struct LargeSeedsLongTests {
  @Test func largeAnswersAreReadWithoutBreakingAnInvariant() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-seeds-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = CorpusPart.fuzzing.appending(path: "large-seeds")
    process.arguments = [folder.path()]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)

    let lines = try await CorpusPart.answers.lines(CorpusPart.files(in: folder))
    #expect(
      lines == [
        "large-document-names: document 1",
        "large-document-services: document 1",
        "large-packs-nested: ",
        "large-packs-objects: ",
        "large-record-nested: ",
        "large-record-numbers: ",
        "large-records-numbers: ",
        "large-rows-numbers: ",
        "large-rows-objects: ",
      ])
  }
}
