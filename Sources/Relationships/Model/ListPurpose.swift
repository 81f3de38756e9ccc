// SPDX-License-Identifier: Apache-2.0

package import ATProtoLexicons

/// What a list is for.
public enum ListPurpose: Sendable, Hashable {
  /// To read by.
  case curate
  /// To mute and block by.
  case moderate
  /// To be referred to, as by a starter pack.
  case refer
  /// Another purpose, by its name in the lexicon.
  case other(String)

  /// Reads the name that the lexicon gives it.
  init(name: String) {
    let known: [ListPurpose] = [.curate, .moderate, .refer]
    self = known.first { $0.name == name } ?? .other(name)
  }

  /// The name that the lexicon gives it.
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
