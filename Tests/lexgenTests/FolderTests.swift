// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import lexgen

@Suite struct FolderTests {
  @Test func writesChangedFilesAndRemovesObsoleteOnes() throws {
    let path = NSTemporaryDirectory() + "lexgen-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = Folder(path: path)
    let first = [(name: "a.swift", text: "a"), (name: "b.swift", text: "b")]
    #expect(try folder.differences(from: first) == ["a.swift", "b.swift"])
    try folder.write(first, over: try folder.differences(from: first))
    #expect(try folder.differences(from: first) == [])

    let second = [(name: "b.swift", text: "B"), (name: "c.swift", text: "c")]
    #expect(try folder.differences(from: second) == ["a.swift", "b.swift", "c.swift"])
    try folder.write(second, over: try folder.differences(from: second))
    #expect(try folder.differences(from: second) == [])
    #expect(try folder.files(ending: ".swift").map(\.path) == ["b.swift", "c.swift"])
  }
}
