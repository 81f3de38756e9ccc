// SPDX-License-Identifier: Apache-2.0

import KithInsights

/// A drawing of the sprite that each page has.
enum Icon: String {
  case home, people, out, swap, block, mute, jobs, at, check, clock, refresh, x, plus, warn, undo, info,
    right, left, more, minus, inbox, compass, chart, search, down, gone, pause, key, edit, eye, filter, flag,
    lock, list, share,
    shield, spin, stop, tag, history
  case incoming = "in"
  case question = "q"
  case download = "dl"
  case outArrow = "outa"
  case settings = "set"
  /// The order of a column.
  case descending = "dn2"

  var html: HTML { "<svg class=\"i\" aria-hidden=\"true\"><use href=\"#i-\(rawValue)\"/></svg>" }
}
