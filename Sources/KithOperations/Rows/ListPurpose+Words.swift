// SPDX-License-Identifier: Apache-2.0

public import KithRelationships

extension ListPurpose {
  /// Parses the word in rows, or the name in the lexicon.
  public init(word: String) {
    let known: [ListPurpose] = [.curate, .moderate, .refer]
    self = known.first { $0.word == word || $0.name == word } ?? .other(word)
  }

  /// The word in rows; the name in the lexicon for an unknown purpose.
  public var word: String {
    switch self {
    case .curate: "curate"
    case .moderate: "mod"
    case .refer: "reference"
    case .other(let name): name
    }
  }
}
