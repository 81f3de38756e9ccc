// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

@testable import KithOperations

/// Records of other apps through a file: what comes back, and what is left alone.
@Suite struct RecordTransferTests {
  private let network = FaultyNetwork()
  private let notes: NSID
  private let alice: ServedUser

  init() async throws {
    notes = try NSID(parsing: "com.example.record")
    alice = try await ServedUser(on: network)
  }

  private func export(_ csv: Bool = false) async throws -> String {
    let account = try await alice.workspace().account()
    var export = ExportRelationships([.records], of: .did(account.did), as: account)
    export.collections = [notes]
    let run = try await alice.run(export)
    #expect(run.outcome.ending == .done && run.notes.isEmpty)
    var encoder = RowEncoder(ExportRow.fieldNames, style: csv ? .csv(raw: false, keepsText: true) : .json)
    let lines = run.rows.map { row in
      encoder.encode(row)
      return String(decoding: encoder.bytes, as: UTF8.self)
    }
    return ((csv ? [ExportRow.fieldNames.joined(separator: ",")] : []) + lines).joined(separator: "\n")
  }

  private func imported(
    _ text: String, only: Set<String> = ["com.example.record"], as user: ServedUser? = nil
  ) async throws -> [ChangeRow] {
    var files = ImportFiles([InMemorySource(text, named: "notes")])
    files.only = only
    return try await (user ?? alice).confirmed(files).rows
  }

  private func make(_ texts: String...) async throws {
    for text in texts {
      let fields: DataObject = [
        "text": .string(text), "about": ["account": .string("\(try alice.did("bob"))")],
      ]
      try await alice.change(.records(.make([RecordDraft(notes, fields)])))
    }
  }

  @Test(arguments: [false, true]) func recordsComeBackAsTheyWere(csv: Bool) async throws {
    try await make("one", "=two, \"2\"\nlines")
    let before = try alice.records(notes)
    let file = try await export(csv)
    #expect(try await imported(file).map(\.state) == [.unchanged, .unchanged])
    for key in before.keys {
      let uri = ATURI(authority: .did(try alice.did("alice")), collection: notes, recordKey: key)
      try await alice.change(.records(.delete(uri)))
    }
    #expect(try alice.records(notes).isEmpty)
    #expect(try await imported(file).map(\.state) == [.done, .done])
    #expect(try alice.records(notes) == before && before.count == 2)
    try await alice.undo()
    #expect(try alice.records(notes).isEmpty)
    // Another account gets them under the same keys.
    let judy = try await ServedUser("judy", on: network)
    #expect(try await imported(file, as: judy).map(\.verb) == ["set record", "set record"])
    #expect(try alice.records(notes, of: "judy") == before)
  }

  @Test func anImportKeepsWhatWasWrittenSince() async throws {
    try await make("one")
    let file = try await export()
    let key = try #require(try alice.records(notes).keys.first)
    let uri = ATURI(authority: .did(try alice.did("alice")), collection: notes, recordKey: key)
    try await alice.change(.records(.put(uri, ["text": "newer"])))
    let rows = try await imported(file)
    #expect(rows.map(\.state) == [.unchanged] && rows.flatMap(\.notes).map(\.code) == [.recordStays])
    #expect(try alice.values(notes).compactMap { $0["text"]?.string } == ["newer"])
  }

  /// They may say anything for the account.
  @Test func recordsAreOnlyImportedIfTheirCollectionIsAskedFor() async throws {
    try await make("one")
    let file = try await export()
    for only: Set<String> in [[], ["follow"]] {
      var files = ImportFiles([InMemorySource(file, named: "notes")])
      files.only = only
      let failure = try await alice.failure(ofChange: files)
      #expect(failure.kind == .invalidInput, "\(only)")
    }
  }

  @Test func anEstimateCountsTheRecordsThatAreRead() async throws {
    try await make("one")
    var files = ImportFiles([InMemorySource(try await export(), named: "notes")])
    files.only = ["\(notes)"]
    var change = Change(files)
    change.mode = .preview
    let plan = try await change.cost(in: alice.workspace()) { _ in }
    #expect(plan.steps.first { $0.name == "com.atproto.repo.getRecord" }?.calls == 1)
  }
}
