// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Relationships

/// All targets of a command, from wherever they come, in the order in which they were named.
struct TargetStream: AsyncSequence, Sendable {
  typealias Element = RelationshipQuestion
  typealias Failure = any Error

  /// One place that brings targets.
  enum Origin: Sendable {
    case argument(String)
    case file(ByteSource, column: String?)
    case listing(ActorListing)
  }

  let origins: [Origin]

  /// Whether targets may come as slowly as somebody types them.
  var readsStdin: Bool {
    origins.contains { if case .file(let source, _) = $0 { source.isStdin } else { false } }
  }

  func makeAsyncIterator() -> Iterator { Iterator(origins: origins[...]) }

  struct Iterator: AsyncIteratorProtocol {
    private var origins: ArraySlice<Origin>
    private var file: OpenFile?
    private var listing: ActorListing.AsyncIterator?

    init(origins: ArraySlice<Origin>) { self.origins = origins }

    mutating func next() async throws -> RelationshipQuestion? { try await next(isolation: nil) }

    /// Stays where whoever reads is, so that a line that was read already costs no change of executor.
    mutating func next(isolation actor: isolated (any Actor)?) async throws -> RelationshipQuestion? {
      while true {
        if let question = try await file?.next(isolation: actor) { return question }
        file = nil
        if let did = try await listing?.next(isolation: actor) { return RelationshipQuestion(did) }
        listing = nil
        switch origins.popFirst() {
        case nil: return nil
        case .argument(let text): return RelationshipQuestion(typed: text)
        case .file(let source, let column):
          let reader: any RecordReader =
            column.map { CSVColumnReader(column: $0, file: source.name) } ?? LineReader()
          file = OpenFile(source: source, reader: reader)
        case .listing(let next): listing = next.makeAsyncIterator()
        }
      }
    }
  }

  /// A file that is being read.
  private struct OpenFile {
    let source: ByteSource
    var reader: any RecordReader
    /// Entries that were read and not yet taken, the next one last.
    var records: [TextRecord] = []
    var isAtEnd = false

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> RelationshipQuestion? {
      while records.isEmpty, !isAtEnd {
        let piece = try await source.next()
        isAtEnd = piece.isEmpty
        records = (isAtEnd ? try reader.ended() : try reader.received(piece)).reversed()
      }
      guard let record = records.popLast() else { return nil }
      return RelationshipQuestion(typed: record.text, at: "\(source.name):\(record.line)")
    }
  }
}
