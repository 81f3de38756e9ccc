// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import lexgen

/// The protocol's catalog of lexicon features, generated into `Generated/` and compiled with these tests.
@Suite(.enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"))
struct CatalogTests {
  /// With `KITH_UPDATE_GENERATED` in the environment the files are written instead.
  @Test func checkedInCodeIsWhatTheCatalogGives() throws {
    let catalog = Folder(path: try #require(Vectors.interop.folder) + "/lexicon/catalog")
    let diagnostics = Diagnostics()
    let library = Library(
      parsing: try catalog.files(ending: ".json") + Repository.lexicons.files(ending: ".json"),
      diagnostics: diagnostics)
    let compiler = Compiler(folder: "interop/lexicon/catalog", prefix: "example.lexicon.")
    let files = compiler.compile(
      library, roots: Roots(text: try Repository.rootsText() + "\nexample.lexicon.*\n"),
      diagnostics: diagnostics)
    #expect(diagnostics.all == [])
    #expect(
      files.map(\.name) == [
        "example.lexicon.procedure.swift", "example.lexicon.query.swift", "example.lexicon.record.swift",
        "example.lexicon.subscription.swift", "Namespaces.swift",
      ])
    let differences = try Repository.generatedCatalog.differences(from: files)
    if ProcessInfo.processInfo.environment["KITH_UPDATE_GENERATED"] != nil {
      try Repository.generatedCatalog.write(files, over: differences)
    } else {
      #expect(differences == [])
    }
  }

  @Test(arguments: try documents("valid")) func acceptsAValidDocument(vector: DocumentVector) {
    #expect(vector.faults == [])
  }

  @Test(arguments: try documents("invalid")) func refusesAnInvalidDocument(vector: DocumentVector) {
    #expect(vector.faults != [])
  }

  struct DocumentVector: CustomTestStringConvertible, Sendable {
    let name: String
    let document: JSONValue
    var testDescription: String { name }

    var faults: [Diagnostic] {
      let diagnostics = Diagnostics()
      let document = LexiconDocument(document, file: "\(name).json", diagnostics: diagnostics)
      if document == nil, diagnostics.isEmpty { Issue.record("\(name) is refused without a reason") }
      return diagnostics.all
    }
  }

  static func documents(_ kind: String) throws -> [DocumentVector] {
    guard Vectors.interop.areThere else { return [] }
    let vectors = try JSONParser.parse(try Vectors.interop.bytes("lexicon/lexicon-\(kind).json"))
    guard case .array(let elements) = vectors else { return [] }
    return elements.compactMap { element in
      guard case .object(let members) = element,
        case .string(let name)? = members.first(where: { $0.name == "name" })?.value,
        let document = members.first(where: { $0.name == "lexicon" })?.value
      else { return nil }
      return DocumentVector(name: name, document: document)
    }
  }
}
