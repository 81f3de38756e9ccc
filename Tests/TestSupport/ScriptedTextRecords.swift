// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
internal import ATProtoCore

/// A DNS that responds from a script and records its queries.
public final class ScriptedTextRecords: TextRecords {
  private let answer: @Sendable (String) throws -> [String]
  private let seen = PosixMutex<[String]>([])

  /// Responds to each name with a function.
  public init(_ answer: @escaping @Sendable (String) throws -> [String]) { self.answer = answer }

  /// Responds to these names only.
  public convenience init(_ records: [String: [String]] = [:]) { self.init { records[$0] ?? [] } }

  /// The requested names, in order.
  public var names: [String] { seen.withLock { $0 } }

  public func texts(of name: String) async throws -> [String] {
    seen.withLock { $0.append(name) }
    return try answer(name)
  }
}
