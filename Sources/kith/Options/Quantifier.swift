// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How the answers for several targets are combined.
enum Quantifier: String, EnumerableFlag, CustomStringConvertible {
  case all
  case any

  /// Said here, because to print a value without it, all conformances are looked through several times.
  var description: String { rawValue }

  static func help(for value: Quantifier) -> ArgumentHelp? {
    switch value {
    case .all: "With --is: yes if it holds for every target."
    case .any: "With --is: yes if it holds for at least one target."
    }
  }
}
