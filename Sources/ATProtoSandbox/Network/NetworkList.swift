// SPDX-License-Identifier: Apache-2.0

/// A list of accounts, with what its record says.
struct NetworkList: Sendable {
  /// The lists of the cast, the first ones of every network.
  enum Plot: Int, CaseIterable {
    case spam, readers, loud

    var owner: Cast { self == .loud ? .ivan : .grace }

    var name: String {
      switch self {
      case .spam: "Spam and scams"
      case .readers: "Book people"
      case .loud: "Loud people"
      }
    }

    /// Whether it is made for blocking and muting, or for reading.
    var isModeration: Bool { self != .readers }

    /// How many made-up accounts are on it, in a network that has as many.
    var strangers: Int {
      switch self {
      case .spam: 200
      case .readers: 150
      case .loud: 20
      }
    }
  }

  let owner: Int
  let name: String
  let isModeration: Bool
}
