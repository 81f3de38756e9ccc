// SPDX-License-Identifier: Apache-2.0

import KithOperations
import Logging

/// Writes log lines to standard error as messages, clearing the progress line first.
struct StandardErrorLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  private let place: ProgressPlace

  init(logLevel: Logger.Level, beside place: ProgressPlace) {
    self.logLevel = logLevel
    self.place = place
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let details = all.sorted { $0.key < $1.key }
      .map { OutputField($0.key, .string("\($0.value)")) }
    place.report(.log("\(event.message)", details))
  }
}
