// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Counts the commits that a PDS has answered for one contact, while its log grows.
struct CommitLog {
  private let file: FileHandle
  private let mark: String
  private var rest = ""
  private(set) var count = 0

  init(of network: LiveNetwork, contact: String) throws {
    file = try FileHandle(forReadingFrom: URL(filePath: network.tls.log))
    mark = "(+\(contact))"
  }

  /// Waits until this many commits were answered.
  ///
  /// - Throws: `CancellationError`.
  mutating func wait(for moment: Int) async throws {
    try await eventually {
      read()
      return count >= moment
    }
  }

  private mutating func read() {
    rest += String(decoding: file.availableData, as: UTF8.self)
    let lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
    count += lines.dropLast().count { $0.contains(mark) && $0.contains("com.atproto.repo.applyWrites") }
    rest = String(lines.last ?? "")
  }
}
