// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// All documents by name, with all references between them checked.
struct Library {
  let documents: [String: LexiconDocument]

  /// Parses the files and checks that each one's path fits its name and that its references exist.
  init(parsing files: [SourceFile], diagnostics: Diagnostics) {
    var documents: [String: LexiconDocument] = [:]
    for file in files {
      guard let document = Library.document(file, diagnostics: diagnostics) else { continue }
      if let other = documents.updateValue(document, forKey: document.nsid) {
        diagnostics.report("\(document.nsid) is defined in \(other.file) too", file: file.path)
      }
    }
    self.documents = documents
    for document in documents.values.sorted(by: { $0.nsid < $1.nsid }) {
      for (_, definition) in document.definitions {
        for (_, schema) in definition.schemas { check(schema) }
      }
    }
  }

  private static func document(_ file: SourceFile, diagnostics: Diagnostics) -> LexiconDocument? {
    do {
      return LexiconDocument(try OrderedJSON(reading: file.bytes), file: file.path, diagnostics: diagnostics)
    } catch {
      let fault = DecodingFault(error)
      diagnostics.report(fault.reason, file: file.path, path: fault.path)
      return nil
    }
  }

  subscript(_ id: DefinitionID) -> Definition? {
    documents[id.nsid]?.definitions.first { $0.name == id.name }?.definition
  }

  private func check(_ schema: Schema) {
    switch schema {
    case .reference(let reference): check(reference, inUnion: false)
    case .union(let union): for reference in union.references { check(reference, inUnion: true) }
    case .array(let array): check(array.items)
    case .object(let object): for property in object.properties { check(property.schema) }
    case .boolean, .integer, .string, .bytes, .cidLink, .blob, .unknown: break
    }
  }

  private func check(_ reference: ReferenceSchema, inUnion: Bool) {
    switch self[reference.target] {
    case nil: reference.node.report("\"\(reference.target)\" is not defined")
    case .record, .schema(.object): break
    case .schema, .token:
      if inUnion {
        reference.node.report("\"\(reference.target)\" is not an object, so not a member of a union")
      }
    case .method, .permissionSet: reference.node.report("\"\(reference.target)\" is not a type of value")
    }
  }
}
