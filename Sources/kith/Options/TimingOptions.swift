// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options of a change that may end by itself.
struct TimingOptions: ParsableArguments {
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Take it back after so long, as 12h or 7d; kith jobs due, run from time to time, does that.",
      valueName: "span"),
    transform: Span.init(parsing:))
  var span: Span?
}
