// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How the answers for several targets are combined.
enum Quantifier: String, EnumerableFlag {
  case all
  case any

  static func help(for value: Quantifier) -> ArgumentHelp? {
    switch value {
    case .all: "With --is: yes if it holds for every target."
    case .any: "With --is: yes if it holds for at least one target."
    }
  }
}
