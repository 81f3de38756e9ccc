// SPDX-License-Identifier: Apache-2.0

import KithInsights

/// Nothing to show: what that means, and one way on.
struct EmptyState {
  let title: String
  let sentence: HTML
  /// A button or a link; nil for none.
  var wayOn: HTML?

  var html: HTML {
    "<section class=\"card empty\"><h2>\(title)</h2><p>\(sentence)</p>\(wayOn.map { "<p class=\"line\">\($0)</p>" })</section>"
  }
}

/// A sentence that stands out, with its sign.
struct Notice {
  /// How it looks and is read: only a failure interrupts a screen reader.
  enum Kind: String {
    case plain, good, warn, bad
  }

  let kind: Kind
  let sentence: HTML
  /// Buttons; nil for none.
  var actions: HTML?

  var html: HTML {
    let icon: Icon =
      switch kind {
      case .plain: .info
      case .good: .check
      case .warn, .bad: .warn
      }
    let role: HTML? = kind == .bad ? " role=\"alert\"" : kind == .good ? " role=\"status\"" : nil
    return """
      <div class="note \(kind.rawValue)"\(role)>\(icon.html)<div>\(sentence)</div>\(actions.map { "<div class=\"acts\">\($0)</div>" })</div>
      """
  }

  /// - Parameter more: what stands below the sentence.
  static func html(_ kind: Kind, _ sentence: String, _ more: HTML? = nil) -> HTML {
    Notice(kind: kind, sentence: "\(sentence)\(more)").html
  }
}
