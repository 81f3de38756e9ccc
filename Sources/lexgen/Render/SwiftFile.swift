// SPDX-License-Identifier: Apache-2.0

/// One generated file.
struct SwiftFile {
  var name: String
  /// The source document, relative to the package; nil for a file generated from all documents.
  var origin: String?
  var imports: [Import] = []
  var declarations: [Member]

  /// An import, and whether its types appear in the file's API.
  struct Import {
    var module: String
    var isPublic: Bool
  }

  /// Returns the required imports of some modules; an unused import, or an unused public one, is an error.
  func imports(of modules: [Module]) -> [Import] {
    let api = Set(declarations.flatMap(\.apiWords))
    let bodies = Set(declarations.flatMap(\.bodyWords))
    return modules.compactMap { module in
      if !module.types.isDisjoint(with: api) { return Import(module: module.name, isPublic: true) }
      if !module.types.isDisjoint(with: bodies) { return Import(module: module.name, isPublic: false) }
      return nil
    }
  }
}

extension Member {
  /// The words of the declaration and its members.
  fileprivate var apiWords: [String] {
    switch self {
    case .type(let type): type.conformances.flatMap(\.words) + type.members.flatMap(\.apiWords)
    case .alias(_, let type, _), .constant(_, let type, _), .computed(_, let type, _, _): type.words
    case .enumCase(_, let payload, _): payload?.words ?? []
    case .stored(let stored): stored.type.words + (stored.isBoxed ? ["Boxed"] : [])
    case .initializer(let parameters, let throwing, _), .function(_, let parameters, let throwing, _):
      parameters.flatMap(\.type.words) + (throwing?.words ?? [])
    }
  }

  /// The words of its body.
  fileprivate var bodyWords: [String] {
    switch self {
    case .type(let type): type.members.flatMap(\.bodyWords)
    case .computed(_, _, let body, _), .initializer(_, _, let body), .function(_, _, _, let body):
      body.flatMap(\.words)
    case .alias, .enumCase, .constant, .stored: []
    }
  }
}

extension Statement {
  fileprivate var words: [String] {
    switch self {
    case .line(let text): text.words
    case .block(let opening, let body): opening.words + body.flatMap(\.words)
    case .closure(let opening, let signature, let body):
      opening.words + signature.words + body.flatMap(\.words)
    case .switch(let subject, let cases):
      subject.words + cases.flatMap { $0.pattern.words + $0.body.flatMap(\.words) }
    }
  }
}

extension String {
  fileprivate var words: [String] { split { !($0.isLetter || $0.isNumber) }.map(String.init) }
}
