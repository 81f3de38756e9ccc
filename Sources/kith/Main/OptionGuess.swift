// SPDX-License-Identifier: Apache-2.0

/// The spelling that the argument parser suggests for an unknown option.
enum OptionGuess {
  /// A message of the parser without a suggestion that may not be what was meant.
  ///
  /// The parser suggests whatever is nearest, up to three letters away: `--mutes`, which chooses all accounts that are muted,
  /// for `--note`. Only a typo is corrected. Nothing leads to `--yes`, which skips the question.
  static func corrected(_ message: String) -> String {
    guard let unknown = message.firstRange(of: "Unknown option '"),
      let guess = message[unknown.upperBound...].firstRange(of: "'. Did you mean '"),
      let end = message[guess.upperBound...].firstRange(of: "'?")
    else { return message }
    let (typed, suggested) = (
      message[unknown.upperBound..<guess.lowerBound], message[guess.upperBound..<end.lowerBound]
    )
    if suggested != "--yes", isTypo(typed, of: suggested) { return message }
    return message.replacingCharacters(in: guess.lowerBound..<end.upperBound, with: "'")
  }

  private static func isTypo(_ typed: Substring, of name: Substring) -> Bool {
    let (typed, name) = (typed.drop { $0 == "-" }, name.drop { $0 == "-" })
    return 4 * CommandSuggestion.distance(String(typed), String(name)) <= max(4, name.count)
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
  }
}
