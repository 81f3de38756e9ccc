// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Relationships

/// What a list is for, in the words of options and rows.
enum ListPurposeOption: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// To read by.
  case curate
  /// To mute and block by.
  case mod

  var purpose: ListPurpose {
    switch self {
    case .curate: .curate
    case .mod: .moderate
    }
  }
}

extension ListPurpose {
  /// Reads the word in rows, or the name that the lexicon gives it.
  init(word: String) {
    let known: [ListPurpose] = [.curate, .moderate, .refer]
    self = known.first { $0.word == word || $0.name == word } ?? .other(word)
  }

  /// The word in rows; the lexicon's own name for a purpose that is new.
  var word: String {
    switch self {
    case .curate: "curate"
    case .moderate: "mod"
    case .refer: "reference"
    case .other(let name): name
    }
  }
}
