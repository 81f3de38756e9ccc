// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
internal import ATProtoCore

/// A DNS that answers from a script and remembers what it was asked.
public final class ScriptedTextRecords: TextRecords {
  private let answer: @Sendable (String) throws -> [String]
  private let seen = PosixMutex<[String]>([])

  /// Answers each name by a function.
  public init(_ answer: @escaping @Sendable (String) throws -> [String]) { self.answer = answer }

  /// Knows these names and no others.
  public convenience init(_ records: [String: [String]] = [:]) { self.init { records[$0] ?? [] } }

  /// The names that were asked for, in their order.
  public var names: [String] { seen.withLock { $0 } }

  public func texts(of name: String) async throws -> [String] {
    seen.withLock { $0.append(name) }
    return try answer(name)
  }
}
