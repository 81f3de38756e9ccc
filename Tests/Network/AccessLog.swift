// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What nginx logged of the requests of one user agent.
struct AccessLog {
  struct Entry: Equatable {
    /// The number of the connection that carried the request.
    let connection: Substring
    /// The protocol, such as `HTTP/2.0`.
    let version: Substring
    /// The path without the query.
    let path: Substring
    /// The HTTP status of the answer.
    let status: Substring
  }

  let entries: [Entry]

  /// Reads the log; a line may appear shortly after the client has its answer.
  ///
  /// - Parameter count: the number of requests to wait for.
  init(of network: LiveNetwork, userAgent: String, awaiting count: Int) throws {
    try self.init(file: network.tls.log, userAgent: userAgent, awaiting: count)
  }

  /// Reads an nginx log in the format of `start-tls-proxy.sh`.
  init(file: String, userAgent: String, awaiting count: Int) throws {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    var found: [Entry] = []
    repeat {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      found = text.split(separator: "\n").filter { $0.hasSuffix("\"\(userAgent)\"") }.compactMap { line in
        let fields = line.split(separator: " ")
        guard fields.count > 5, let connection = fields[0].split(separator: ":").first,
          let path = fields[4].split(separator: "?").first
        else { return nil }
        return Entry(connection: connection, version: fields[1], path: path, status: fields[5])
      }
    } while found.count < count && clock.now < deadline
    entries = found
  }
}
