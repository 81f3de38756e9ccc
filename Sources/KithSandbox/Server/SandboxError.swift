// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// An error on starting a ``Sandbox``.
package struct SandboxError: CodedError {
  package static let domain = "sandbox"

  /// What went wrong.
  package let code: Code
  /// The requested address.
  package let address: String
  /// The system's message; empty if there is none.
  private let words: String

  init(_ code: Code, address: String, detail: String = "") {
    self.code = code
    self.address = address
    words = detail
  }

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  package struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, CaseIterable { case cannotListen, alreadyStarted }
    private let kind: Kind

    /// All kinds that exist now.
    package static var all: [Code] { Kind.allCases.map { Code(kind: $0) } }

    /// The name of the kind in machine-readable output.
    package var description: String { kind.rawValue }

    /// The port is taken, or not allowed.
    package static let cannotListen = Code(kind: .cannotListen)
    /// The sandbox was started before.
    package static let alreadyStarted = Code(kind: .alreadyStarted)
  }

  /// The requested address.
  package var subject: String { address }

  package var detail: String {
    let reason =
      code == .alreadyStarted
      ? "it was already started; create another sandbox" : "cannot listen there; try another port"
    return reason + (words.isEmpty ? "" : " (\(words))")
  }

  package var description: String { "could not start a sandbox at \(address): \(detail)" }
}
