// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights

/// A time on a page: in words in UTC, which the script replaces by those of the reader's place.
enum PageTime {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func html(_ time: Datetime) -> HTML {
    "<time datetime=\"\(time.description)\">\(words(time))</time>"
  }

  /// Such as `30 Nov 2026, 11:45 UTC`.
  static func words(_ time: Datetime) -> String {
    let text = Datetime(at: time.instant).description
    let parts = text.split { "-T:".contains($0) }
    guard parts.count > 4, let month = Int(parts[1]), months.indices.contains(month - 1),
      let day = Int(parts[2])
    else {
      return text
    }
    return "\(day) \(months[month - 1]) \(parts[0]), \(parts[3]):\(parts[4]) UTC"
  }
}
