// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The methods whose responses are bounded by `Lexicons/bounds.txt`.
package enum BoundedMethods {
  /// The maximum bytes of each method's response, by name.
  package static let bytes: [String: Int] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Lexicons/bounds.txt")
    let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
    let fields = lines.map { $0.prefix { $0 != "#" }.split(separator: " ") }.filter { $0.count == 3 }
    return Dictionary(uniqueKeysWithValues: fields.map { (String($0[0]), (Int($0[1]) ?? 0) << 10) })
  }()

  package static var names: [String] { bytes.keys.sorted() }
}
