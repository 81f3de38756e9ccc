// SPDX-License-Identifier: Apache-2.0

/// One generated file.
struct SwiftFile {
  var name: String
  /// The document it comes from, relative to the package; nil for a file made from all of them.
  var origin: String?
  /// Modules of which types occur in the file's API.
  var imports: [String]
  var declarations: [Member]
}

extension SwiftFile {
  /// Whether the file's API names one of some types; importing a module in vain is an error.
  func names(_ types: Set<String>) -> Bool {
    declarations.contains { $0.names(types) }
  }
}

extension Member {
  fileprivate func names(_ types: Set<String>) -> Bool {
    let texts: [String] =
      switch self {
      case .type(let type): type.conformances
      case .alias(_, let type, _), .constant(_, let type, _), .computed(_, let type, _, _): [type]
      case .enumCase(_, let payload, _): [payload ?? ""]
      case .enumCases: []
      case .stored(let stored): [stored.type]
      case .initializer(let parameters, let throwing, _), .function(_, let parameters, let throwing, _):
        parameters.map(\.type) + [throwing ?? ""]
      }
    let words = texts.flatMap { $0.split { !($0.isLetter || $0.isNumber) } }
    if words.contains(where: { types.contains(String($0)) }) { return true }
    guard case .type(let type) = self else { return false }
    return type.members.contains { $0.names(types) }
  }
}
