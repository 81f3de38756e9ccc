// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The string as one word of a command that a user may paste into sh, bash, zsh or fish, whatever a server
  /// or another user put into it.
  var quotedForShell: String { isPlainShellWord ? self : inShellQuotes }

  /// The same, always with quotes.
  ///
  /// Fish reads backslashes within single quotes, other shells do not. So backslashes stand outside the
  /// quotes, where all shells read two as one. Compares scalars: a quote with a combining mark is a quote.
  var inShellQuotes: String {
    var quoted = "'".unicodeScalars
    for scalar in unicodeScalars {
      switch scalar {
      case "'": quoted.append(contentsOf: #"'\''"#.unicodeScalars)
      case "\\": quoted.append(contentsOf: #"'\\'"#.unicodeScalars)
      default: quoted.append(scalar)
      }
    }
    quoted.append("'")
    return String(quoted)
  }

  /// The string as the value of an option: one that begins with a hyphen would be taken for an option itself.
  func asValue(of option: String) -> String {
    option + (unicodeScalars.first == "-" ? "=" : " ") + quotedForShell
  }

  /// Whether no shell reads anything but the word itself. Zsh looks up a command after a leading `=`.
  private var isPlainShellWord: Bool {
    !isEmpty && unicodeScalars.first != "="
      && unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "_", ":", "@", "%", "+", ",", "-", "/", "=": true
        default: false
        }
      }
  }
}
