// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithPosts
import KithRelationships
import KithWriting
import SandboxSupport
import Testing

@testable import KithOperations

extension ServedUser {
  /// Carries out a change that is agreed to beforehand.
  ///
  /// - Parameter edit: sets what else the caller wants.
  func confirmed<Source: ChangeSource>(
    _ source: Source, over transport: (any HTTPTransport)? = nil,
    _ edit: (inout Change<Source>) -> Void = { _ in }
  ) async throws -> OperationRun<Change<Source>> {
    var change = Change(source)
    change.isConfirmed = true
    edit(&change)
    let run = try await run(change, over: transport)
    #expect(run.questions.isEmpty)
    return run
  }

  /// Shows what a change would do.
  ///
  /// - Parameter edit: sets what else the caller wants.
  func previewed<Source: ChangeSource>(
    _ source: Source, over transport: (any HTTPTransport)? = nil,
    _ edit: (inout Change<Source>) -> Void = { _ in }
  ) async throws -> OperationRun<Change<Source>> {
    var change = Change(source)
    change.mode = .preview
    edit(&change)
    let run = try await run(change, over: transport)
    #expect(run.questions.isEmpty && run.outcome.job == nil)
    return run
  }

  /// How an operation fails.
  struct Failure: Sendable {
    let error: any Error
    /// What was said before.
    let notes: [Note]

    var code: String { ErrorFields(error).code }
    var kind: FailureKind? { FailureKind(error) }
  }

  /// Runs an operation that throws.
  func failure(
    of operation: some KithOperation, over transport: (any HTTPTransport)? = nil,
    in workspace: Workspace? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Failure {
    let notes = PosixMutex<[Note]>([])
    let error = await #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
      try await operation.run(
        in: workspace ?? self.workspace(over: transport),
        Reporter(rows: { _ in }, note: { note in notes.withLock { $0.append(note) } }))
    }
    return Failure(
      error: try #require(error, sourceLocation: sourceLocation), notes: notes.withLock(\.self))
  }

  /// Runs a change that throws although it is agreed to beforehand.
  func failure(
    ofChange source: some ChangeSource, over transport: (any HTTPTransport)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Failure {
    var change = Change(source)
    change.isConfirmed = true
    return try await failure(of: change, over: transport, sourceLocation: sourceLocation)
  }

  /// The records of one of the cast, by their keys.
  func records(_ collection: NSID, of name: String = "alice") throws -> [RecordKey: DataValue] {
    Dictionary(network.records(of: try did(name), in: collection).map { ($0.key, $0.value) }) { one, _ in one
    }
  }

  /// The AT-URI of Alice's record about another one of the cast; nil if there is none.
  func record(_ collection: NSID, about subject: String) throws -> String? {
    let (owner, subject) = (try did("alice"), try did(subject))
    return network.records(of: owner, in: collection).first { $0.value["subject"]?.string == "\(subject)" }
      .map { "at://\(owner)/\(collection)/\($0.key)" }
  }
}

extension Picture {
  /// A picture of the tests.
  static func sample(_ name: String) throws -> Picture {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../KithPostsTests/Pictures/\(name)")
    return try Picture(Array(try Data(contentsOf: file)))
  }
}

extension ChangeRow {
  /// What it writes to the repository.
  var writes: [RecordWrite] { steps.flatMap(\.writes) }

  /// The code of its refusal; nil if it is not refused.
  var refusal: ChangeRefusal.Code? { if case .refused(let refusal)? = reason { refusal.code } else { nil } }

  /// The code of the error for which its name leads to no change; nil for any other row.
  var fault: String? { if case .unusable(let error)? = reason { ErrorFields(error).code } else { nil } }
}

extension [OutputField] {
  /// The value of a field; nil if there is none.
  subscript(name: String) -> OutputValue? { first { $0.name == name }?.value }
}

extension [Note] {
  /// The fields of the first note with a code; nil if there is none.
  subscript(code: String) -> [OutputField]? { first { $0.code == code }?.fields }
}
