// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithRelationships

/// The purpose of a list, as options and rows name it.
enum ListPurposeOption: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// A user list, for feeds.
  case curate
  /// A moderation list, for mutes and blocks.
  case mod

  var purpose: ListPurpose {
    switch self {
    case .curate: .curate
    case .mod: .moderate
    }
  }
}

extension ListPurpose {
  /// Parses the word in rows, or the name in the lexicon.
  init(word: String) {
    let known: [ListPurpose] = [.curate, .moderate, .refer]
    self = known.first { $0.word == word || $0.name == word } ?? .other(word)
  }

  /// The word in rows; the name in the lexicon for an unknown purpose.
  var word: String {
    switch self {
    case .curate: "curate"
    case .moderate: "mod"
    case .refer: "reference"
    case .other(let name): name
    }
  }
}
