// SPDX-License-Identifier: Apache-2.0

/// Colours of a terminal, or none.
struct Palette: Sendable {
  enum Colour: String {
    case good = "32"
    case bad = "31"
    case faint = "2"
    case strong = "1"
  }

  let isOn: Bool

  /// Decides on colours: `--no-color`, `NO_COLOR` and `TERM=dumb` turn them off, `CLICOLOR_FORCE` turns them
  /// on without a terminal.
  init(isTerminal: Bool, forbidden: Bool, environment: [String: String]) {
    func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
    if forbidden || isSet("NO_COLOR") {
      isOn = false
    } else if let force = environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" {
      isOn = true
    } else {
      isOn = isTerminal && environment["TERM"] != "dumb"
    }
  }

  func paint(_ text: String, _ colour: Colour?) -> String {
    guard isOn, let colour, !text.isEmpty else { return text }
    return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
  }
}
