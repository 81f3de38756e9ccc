// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Why a ``Sandbox`` did not start.
public struct SandboxError: CodedError {
  public static let domain = "sandbox"

  /// What went wrong.
  public let code: Code
  /// The address that was asked for.
  public let address: String
  /// The system's own words; empty where there are none.
  private let words: String

  init(_ code: Code, address: String, detail: String = "") {
    self.code = code
    self.address = address
    words = detail
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, CaseIterable { case cannotListen, alreadyStarted }
    private let kind: Kind

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code(kind: $0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// The port is taken, or may not be used.
    public static let cannotListen = Code(kind: .cannotListen)
    /// The sandbox was started before.
    public static let alreadyStarted = Code(kind: .alreadyStarted)
  }

  /// The address that was asked for.
  public var subject: String { address }

  public var detail: String {
    let reason =
      code == .alreadyStarted
      ? "it was started before; make another sandbox" : "cannot listen there; try another port"
    return reason + (words.isEmpty ? "" : " (\(words))")
  }

  public var description: String { "starting a sandbox at \(address): \(detail)" }
}
