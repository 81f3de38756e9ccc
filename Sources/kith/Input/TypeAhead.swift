// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithRelationships

/// What has been typed of a name, and the accounts that it may mean.
struct TypeAhead {
  /// What follows from keys.
  enum Effect: Equatable {
    case none
    /// The text is another one, so others may match.
    case changed
    case chosen(AccountView)
    /// The person has given up.
    case ended
  }

  /// The most accounts on the screen.
  static let mostShown = 8
  private static let longestText = 64

  private(set) var text: String
  private(set) var matches: [AccountView] = []
  private(set) var selected = 0
  private var fault: String?
  /// The beginning of a character.
  private var partial: [UInt8] = []

  init(_ text: String = "") { self.text = text }

  /// Takes keys that arrived together, as sequences for one key do.
  mutating func receive(_ keys: [UInt8]) -> Effect {
    switch keys {
    case [0x1B], [0x04]: return .ended
    case [0x1B, 0x5B, 0x41], [0x1B, 0x4F, 0x41]: return move(by: -1)
    case [0x1B, 0x5B, 0x42], [0x1B, 0x4F, 0x42], [0x09]: return move(by: 1)
    case _ where keys.first == 0x1B: return .none
    default: break
    }
    let before = text
    for key in keys {
      switch key {
      case 0x0A, 0x0D: return matches.indices.contains(selected) ? .chosen(matches[selected]) : .none
      case 0x08, 0x7F: _ = text.popLast()
      case 0x15: text = ""
      case ..<0x20: break
      default:
        partial.append(key)
        // A character has at most four bytes; what is none is dropped.
        if let typed = String(validating: partial, as: UTF8.self) {
          if text.count < Self.longestText { text += TerminalText.clean(typed) }
          partial = []
        } else if partial.count >= 4 {
          partial = []
        }
      }
    }
    return text == before ? .none : .changed
  }

  private mutating func move(by step: Int) -> Effect {
    if !matches.isEmpty { selected = (selected + step + matches.count) % matches.count }
    return .none
  }

  /// Takes the accounts for a text; those for an earlier one are out of date.
  mutating func show(_ found: [AccountView], for asked: String) {
    guard asked == text else { return }
    (matches, selected, fault) = (Array(found.prefix(Self.mostShown)), 0, nil)
  }

  /// Takes the reason why there are none.
  mutating func show(_ fault: String, for asked: String) {
    guard asked == text else { return }
    (matches, selected, self.fault) = ([], 0, fault)
  }

  /// What is drawn, each time from the beginning of the first line, with the cursor behind the text.
  func screen(columns: Int) -> String {
    let prompt = "Search: " + text
    let lines =
      matches.enumerated().map { place, view in
        let more = [view.displayName, view.relationship?.words.map { "(\($0))" }].compactMap(\.self)
        let line = ([view.name] + more).joined(separator: "  ")
        return (place == selected ? "> " : "  ") + TerminalText.clean(line)
      } + (fault.map { ["  " + TerminalText.clean($0)] } ?? [])
    let room = max(1, columns - 1)
    let shown = ([prompt] + lines).map { TerminalText.truncated($0, to: room) }
    let up = lines.isEmpty ? "" : "\u{1B}[\(lines.count)A"
    let right = min(TerminalText.width(prompt), room)
    return Self.erasure + shown.joined(separator: "\r\n") + up + "\r" + (right > 0 ? "\u{1B}[\(right)C" : "")
  }

  /// Removes what was drawn.
  static let erasure = "\r\u{1B}[J"
}
