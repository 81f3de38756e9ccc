// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The option of commands that can estimate their cost.
struct ExplainOptions: ParsableArguments {
  @Flag(help: "Print the estimated cost and do nothing else; reads at most counts.")
  var explain = false
}
