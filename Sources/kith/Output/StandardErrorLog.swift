// SPDX-License-Identifier: Apache-2.0

import Logging

/// Log lines on standard error, in the form of all other talk.
struct StandardErrorLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  init(logLevel: Logger.Level) { self.logLevel = logLevel }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let details = all.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    StandardError.say(details.isEmpty ? "\(event.message)" : "\(event.message): \(details)")
  }
}
