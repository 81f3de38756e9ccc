// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options of a change that can be limited in time.
struct TimingOptions: ParsableArguments {
  @Option(
    name: .customLong("for"),
    parsing: .unconditional,
    help: ArgumentHelp(
      "Undo this after a time such as 12h or 7d; kith jobs due has to run regularly for that (see kith-due.timer).",
      valueName: "span"),
    transform: DurationOption.init(parsing:))
  var span: DurationOption?
}
