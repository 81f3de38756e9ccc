// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The option of every command that can say what it would cost.
struct ExplainOptions: ParsableArguments {
  @Flag(help: "Print what it would cost, as data, and do nothing else. At most counts are read.")
  var explain = false
}
