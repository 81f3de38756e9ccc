// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import lexgen

/// The package's own catalog of lexicon features, generated into `GeneratedCatalog/` and compiled with these
/// tests.
@Suite struct OwnCatalogTests {
  /// With `KITH_UPDATE_GENERATED` in the environment the files are written instead.
  @Test func checkedInCodeIsWhatTheCatalogGives() throws {
    let folder = "Tests/lexgenTests/Vectors/catalog"
    let diagnostics = Diagnostics()
    let library = Library(
      parsing: try Folder(path: Repository.root + folder).files(ending: ".json"), diagnostics: diagnostics)
    // The namespaces are declared below, with those of the protocol's catalog.
    let files = Compiler(folder: folder).compile(
      library, roots: Roots(text: "example.catalog.*"), diagnostics: diagnostics
    ).filter { $0.name != "Namespaces.swift" }
    #expect(diagnostics.all == [])
    #expect(
      files.map(\.name)
        == ["procedure", "query", "record", "subscription"].map { "example.catalog.\($0).swift" })
    let generated = Folder(path: Repository.root + "Tests/lexgenTests/GeneratedCatalog")
    let differences = try generated.differences(from: files)
    if ProcessInfo.processInfo.environment["KITH_UPDATE_GENERATED"] != nil {
      try generated.write(files, over: differences)
    } else {
      #expect(differences == [])
    }
  }

  @Test(arguments: try VectorLine.all("lexicon_valid.txt", besideSource: #filePath))
  func acceptsAValidDocument(line: VectorLine) throws {
    #expect(try faults(line.text) == [])
  }

  @Test(arguments: try VectorLine.all("lexicon_invalid.txt", besideSource: #filePath))
  func refusesAnInvalidDocument(line: VectorLine) throws {
    let (place, text) = try line.placeAndText()
    #expect(Set(try faults(text).map(\.path)) == [place == "." ? "" : place])
  }

  private func faults(_ text: String) throws -> [Diagnostic] {
    let diagnostics = Diagnostics()
    let document = LexiconDocument(
      try OrderedJSON(reading: Array(text.utf8)), file: "document.json", diagnostics: diagnostics)
    #expect(document != nil || !diagnostics.isEmpty)
    return diagnostics.all
  }
}

extension Example {
  public enum Catalog {}
}

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
      library, roots: Roots(text: try Repository.text(of: "roots.txt") + "\nexample.lexicon.*\n"),
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
    let document: OrderedJSON
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
    let vectors = try OrderedJSON(reading: try Vectors.interop.bytes("lexicon/lexicon-\(kind).json"))
    guard case .array(let elements) = vectors else { throw CocoaError(.fileReadCorruptFile) }
    return try elements.map { element in
      guard case .object(let members) = element,
        case .string(let name)? = members.first(where: { $0.name == "name" })?.value,
        let document = members.first(where: { $0.name == "lexicon" })?.value
      else { throw CocoaError(.fileReadCorruptFile) }
      return DocumentVector(name: name, document: document)
    }
  }
}
