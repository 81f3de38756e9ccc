// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How many rows a command lists.
struct LimitOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: .limit)
  var limit: Int?

  mutating func validate() throws {
    try limit?.check(isIn: (1...), for: "--limit")
  }
}
