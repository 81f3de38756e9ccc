// SPDX-License-Identifier: Apache-2.0

package import KithLexicons

/// The purpose of a list.
public enum ListPurpose: Sendable, Hashable {
  /// For reading: a feed of its members.
  case curate
  /// For muting and blocking.
  case moderate
  /// For references, such as from a starter pack.
  case refer
  /// Another purpose, by its name in the lexicon.
  case other(String)

  /// Parses a name from the lexicon.
  init(name: String) {
    let known: [ListPurpose] = [.curate, .moderate, .refer]
    self = known.first { $0.name == name } ?? .other(name)
  }

  /// The name in the lexicon.
  package var name: String { type.rawValue }

  package var type: App.Bsky.Graph.Defs.ListPurpose {
    switch self {
    case .curate: .curatelist
    case .moderate: .modlist
    case .refer: .referencelist
    case .other(let name): App.Bsky.Graph.Defs.ListPurpose(rawValue: name)
    }
  }
}
