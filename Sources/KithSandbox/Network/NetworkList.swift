// SPDX-License-Identifier: Apache-2.0

/// A list of accounts, with the content of its record.
struct NetworkList: Sendable {
  /// The lists of the cast; the first lists of every network.
  enum Plot: Int, CaseIterable {
    case spam, readers, loud, pack

    var owner: NamedAccount { self == .loud ? .ivan : .grace }

    var name: String {
      switch self {
      case .spam: "Spam and scams"
      case .readers, .pack: "Book people"
      case .loud: "Loud people"
      }
    }

    var purpose: Purpose {
      switch self {
      case .spam, .loud: .moderation
      case .readers: .curation
      case .pack: .reference
      }
    }

    /// How many strangers are on it, if the network has as many.
    var strangers: Int {
      switch self {
      case .spam: 200
      case .readers: 150
      // It contains some of the readers.
      case .pack: 0
      case .loud: 20
      }
    }
  }

  let owner: Int
  let name: String
  let purpose: Purpose

  var isModeration: Bool { purpose == .moderation }

  /// The purpose of a list.
  enum Purpose {
    /// Blocking and muting.
    case moderation
    /// Reading.
    case curation
    /// Backing a starter pack.
    case reference
  }
}
