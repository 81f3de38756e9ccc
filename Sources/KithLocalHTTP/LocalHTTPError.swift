// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// An error on starting an ``HTTPListener``.
package struct LocalHTTPError: CodedError {
  package static let domain = "localHTTP"

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  package enum Code: String, CaseIterable, CustomStringConvertible, Sendable {
    /// The port is taken, or the port or the path is not allowed.
    case cannotListen

    /// The name of the kind in machine-readable output.
    package var description: String { rawValue }
  }

  package let code: Code
  /// The requested address.
  package let subject: String
  package let detail: String

  /// - Parameter reason: the system's words.
  init(_ code: Code, address: String, reason: String) {
    self.code = code
    subject = address
    detail = "cannot listen there; try another port (\(reason))"
  }

  /// - Parameter reason: the system's words, or what is wrong with the path.
  init(_ code: Code, path: String, reason: String) {
    self.code = code
    subject = path
    detail = "cannot listen there (\(reason))"
  }
}
