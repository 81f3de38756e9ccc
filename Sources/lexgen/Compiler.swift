// SPDX-License-Identifier: Apache-2.0

/// From documents to files: parse, resolve, translate, render.
struct Compiler {
  /// Modules that generated code imports beside ATProtoCore.
  var imports: [String] = []
  /// The folder that the origin of a generated file is named below.
  var folder = "Lexicons"
  /// Whether a document's file is made; the others are taken to be in a module that is imported.
  var emits: (_ nsid: String) -> Bool = { _ in true }

  /// The text of each generated file by its name, in order; empty when anything is wrong.
  func compile(
    _ sources: [SourceFile], roots: Roots, diagnostics: Diagnostics
  ) -> [(name: String, text: String)] {
    let library = Library(parsing: sources, diagnostics: diagnostics)
    for document in library.documents.values where document.file != LexiconDocument.path(of: document.nsid) {
      diagnostics.report(
        "\(document.nsid) must stand in \(LexiconDocument.path(of: document.nsid))", file: document.file)
    }
    return compile(library, roots: roots, diagnostics: diagnostics)
  }

  /// As above, for documents that may stand anywhere.
  func compile(_ library: Library, roots: Roots, diagnostics: Diagnostics) -> [(name: String, text: String)] {
    let documents = roots.documents(of: library, file: "roots.txt", diagnostics: diagnostics)
    guard diagnostics.isEmpty else { return [] }
    let usage = Usage(of: documents, in: library)
    let translator = Translator(library: library, usage: usage)
    let nsids = Set(usage.reachable.map(\.nsid)).filter(emits).sorted()
    let files = nsids.compactMap { library.documents[$0] }.compactMap {
      translator.file(of: $0, folder: folder, imports: imports)
    }
    let namespaces = Namespaces(of: files.map { String($0.name.dropLast(".swift".count)) })
    return (files + [namespaces.file]).map { ($0.name, Renderer.render($0)) }
  }
}
