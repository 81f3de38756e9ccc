// SPDX-License-Identifier: Apache-2.0

/// A list of accounts, with what its record says.
struct NetworkList: Sendable {
  /// The lists of the cast, the first ones of every network.
  enum Plot: Int, CaseIterable {
    case spam, readers, loud, pack

    var owner: Cast { self == .loud ? .ivan : .grace }

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

    /// How many made-up accounts are on it, in a network that has as many.
    var strangers: Int {
      switch self {
      case .spam: 200
      case .readers: 150
      // It has some of the readers.
      case .pack: 0
      case .loud: 20
      }
    }
  }

  let owner: Int
  let name: String
  let purpose: Purpose

  var isModeration: Bool { purpose == .moderation }

  /// What a list is made for.
  enum Purpose {
    /// Blocking and muting.
    case moderation
    /// Reading.
    case curation
    /// Standing behind a starter pack.
    case reference
  }
}
