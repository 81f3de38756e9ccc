// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How the answers about several targets become one.
enum Quantifier: String, EnumerableFlag {
  case all
  case any

  static func help(for value: Quantifier) -> ArgumentHelp? {
    switch value {
    case .all: "With --is: yes when it holds for every target."
    case .any: "With --is: yes when it holds for one target at least."
    }
  }
}
