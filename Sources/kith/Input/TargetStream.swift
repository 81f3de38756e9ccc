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
    /// What an earlier run has written; its failed rows are asked again.
    case failedRows(ByteSource)
  }

  let origins: [Origin]
  /// Whom they are asked about, as soon as that is known: rows of an earlier run must be about the same.
  private var actor: DID?

  init(origins: [Origin]) { self.origins = origins }

  /// The same targets, for an actor who is known now.
  func asked(about actor: DID) -> TargetStream {
    var stream = self
    stream.actor = actor
    return stream
  }

  /// Whether targets may come as slowly as somebody types them.
  var readsStdin: Bool { origins.contains { $0.source?.isStdin == true } }

  /// What is said when there turned out to be none.
  var absence: String {
    for case .failedRows(let source) in origins {
      return "\(source.name): no row of that run failed, so nothing was asked"
    }
    return "no targets were given, so nothing was asked"
  }

  /// How many there are, where arguments and files on a disk tell; nil where only reading to the end does.
  var count: Int? {
    get async {
      var count = 0
      for origin in origins {
        switch origin {
        case .argument: count += 1
        case .file(let source, let column):
          guard let copy = source.copy, let entries = try? await Self.entries(of: copy, column: column) else {
            return nil
          }
          count += entries
        case .listing, .failedRows: return nil
        }
      }
      return count
    }
  }

  private static func entries(of source: ByteSource, column: String?) async throws -> Int {
    var file = OpenFile(source: source, column: column)
    var count = 0
    while try await file.next(isolation: nil) != nil { count += 1 }
    return count
  }

  func makeAsyncIterator() -> Iterator { Iterator(origins: origins[...], actor: actor) }

  struct Iterator: AsyncIteratorProtocol {
    private var origins: ArraySlice<Origin>
    private let actor: DID?
    private var file: OpenFile?
    private var rows: EarlierOutput?
    private var listing: ActorListing.AsyncIterator?

    init(origins: ArraySlice<Origin>, actor: DID?) {
      self.origins = origins
      self.actor = actor
    }

    mutating func next() async throws -> RelationshipQuestion? { try await next(isolation: nil) }

    /// Stays where whoever reads is, so that a line that was read already costs no change of executor.
    mutating func next(isolation reader: isolated (any Actor)?) async throws -> RelationshipQuestion? {
      while true {
        while let record = try await file?.next(isolation: reader) {
          if let question = try question(record) { return question }
        }
        (file, rows) = (nil, nil)
        if let did = try await listing?.next(isolation: reader) { return RelationshipQuestion(did) }
        listing = nil
        switch origins.popFirst() {
        case nil: return nil
        case .argument(let text): return RelationshipQuestion(typed: text)
        case .file(let source, let column): file = OpenFile(source: source, column: column)
        case .failedRows(let source):
          rows = EarlierOutput(file: source.name, actor: actor)
          file = OpenFile(source: source, reader: LineReader(longestLine: EarlierOutput.longestRow))
        case .listing(let next): listing = next.makeAsyncIterator()
        }
      }
    }

    private mutating func question(_ record: TextRecord) throws -> RelationshipQuestion? {
      if rows != nil { return try rows?.question(in: record, isLast: file?.isAtEnd == true) }
      return RelationshipQuestion(typed: record.text, at: file.map { "\($0.source.name):\(record.line)" })
    }
  }

  /// A file that is being read.
  private struct OpenFile {
    let source: ByteSource
    var reader: any RecordReader
    /// Entries that were read and not yet taken, the next one last.
    var records: [TextRecord] = []
    var isAtEnd = false

    init(source: ByteSource, reader: any RecordReader) {
      self.source = source
      self.reader = reader
    }

    init(source: ByteSource, column: String?) {
      self.init(
        source: source,
        reader: column.map { CSVColumnReader(column: $0, file: source.name) } ?? LineReader())
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> TextRecord? {
      while records.isEmpty, !isAtEnd {
        let piece = try await source.next()
        isAtEnd = piece.isEmpty
        records = (isAtEnd ? try reader.ended() : try reader.received(piece)).reversed()
      }
      return records.popLast()
    }
  }
}

extension TargetStream.Origin {
  /// The file behind it, if there is one.
  fileprivate var source: ByteSource? {
    switch self {
    case .file(let source, _), .failedRows(let source): source
    case .argument, .listing: nil
    }
  }
}
