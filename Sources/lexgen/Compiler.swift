// SPDX-License-Identifier: Apache-2.0

/// Compiles documents to files: parses, resolves, translates and renders them.
struct Compiler {
  /// The folder prefix of document paths in generated files.
  var folder = "Lexicons"
  /// The prefix of the documents to generate; the types of the others are in ``otherModule``.
  var prefix = ""
  var otherModule = "KithLexicons"

  /// Returns the text of each generated file by name, in order; empty if there are errors.
  func compile(
    _ sources: [SourceFile], roots: Roots, bounds: Bounds = Bounds(), diagnostics: Diagnostics
  ) -> [(name: String, text: String)] {
    let library = Library(parsing: sources, diagnostics: diagnostics)
    for (nsid, document) in library.documents.sorted(by: { $0.key < $1.key }) {
      let path = LexiconDocument.path(of: nsid)
      if document.file != path { diagnostics.report("\(nsid) must be in \(path)", file: document.file) }
    }
    return compile(library, roots: roots, bounds: bounds, diagnostics: diagnostics)
  }

  /// Compiles documents whose paths are not checked.
  func compile(
    _ library: Library, roots: Roots, bounds: Bounds = Bounds(), diagnostics: Diagnostics
  ) -> [(name: String, text: String)] {
    // A document that could not be read must not be reported as missing, too.
    guard diagnostics.isEmpty else { return [] }
    bounds.check(against: library, file: "bounds.txt", diagnostics: diagnostics)
    let documents = roots.documents(of: library, file: "roots.txt", diagnostics: diagnostics)
    guard diagnostics.isEmpty else { return [] }
    let usage = Usage(of: documents, in: library)
    let translator = Translator(library: library, usage: usage, bounds: bounds)
    let nsids = Set(usage.reachable.map(\.nsid)).sorted()
    let others = nsids.filter { !$0.hasPrefix(prefix) }.compactMap { $0.split(separator: ".").first }
    let modules = [
      Module(name: "KithCore", types: Naming.runtime),
      Module(name: otherModule, types: Set(others.map { Naming.type(String($0)) })),
    ]
    let files = nsids.filter { $0.hasPrefix(prefix) }.compactMap { library.documents[$0] }.compactMap {
      translator.file(of: $0, folder: folder, modules: modules)
    }
    let namespaces = Namespaces(of: files.map { String($0.name.dropLast(".swift".count)) })
    return (files + [namespaces.file]).map { ($0.name, Renderer.render($0)) }
  }
}
