// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import kith

@Suite struct PaletteTests {
  @Test(
    arguments: [
      (true, false, [:], true), (false, false, [:], false), (true, true, [:], false),
      (true, false, ["NO_COLOR": "1"], false), (true, false, ["NO_COLOR": ""], true),
      (true, false, ["TERM": "dumb"], false), (true, false, ["TERM": "xterm"], true),
      (false, false, ["CLICOLOR_FORCE": "1"], true), (false, false, ["CLICOLOR_FORCE": "0"], false),
      (true, false, ["CLICOLOR_FORCE": "0"], true), (false, true, ["CLICOLOR_FORCE": "1"], false),
      (false, false, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
      (false, false, ["CLICOLOR_FORCE": "1", "TERM": "dumb"], true),
    ] as [(Bool, Bool, [String: String], Bool)])
  func coloursFollowTerminalOptionAndEnvironment(
    isTerminal: Bool, forbidden: Bool, environment: [String: String], isOn: Bool
  ) {
    #expect(
      Palette(isTerminal: isTerminal, forbidden: forbidden, environment: environment).isOn == isOn)
  }

  @Test func paintsOnlyColouredText() {
    let palette = Palette(isTerminal: true, forbidden: false, environment: [:])
    #expect(palette.paint("yes", .good) == "\u{1B}[32myes\u{1B}[0m")
    #expect(palette.paint("yes", nil) == "yes")
    #expect(palette.paint("", .good) == "")
  }
}
