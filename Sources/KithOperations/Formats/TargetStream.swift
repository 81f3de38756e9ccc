// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships
import KithWriting

/// All names of a command, from arguments and files, in order.
///
/// Targets are delivered in batches of what was read at once, because a step of a sequence costs more than a
/// target.
public struct TargetStream: AsyncSequence, Sendable {
  public typealias Element = [RelationshipQuestion]
  public typealias Failure = any Error

  /// One source of targets.
  public enum Origin: Sendable {
    case argument(String)
    case question(RelationshipQuestion)
    case file(any ByteSource, column: String?)
    /// The output of an earlier run, whose failed rows are repeated.
    case failedRows(any ByteSource)
  }

  public let origins: [Origin]
  /// The actor, once it is known: rows of an earlier run must be about the same.
  private var actor: DID?
  /// Whether a question is asked; nil if all are.
  private var isWanted: (@Sendable (RelationshipQuestion) -> Bool)?

  public init(origins: [Origin]) { self.origins = origins }

  /// The same targets without those that a closure rejects.
  public func filtered(_ isWanted: @escaping @Sendable (RelationshipQuestion) -> Bool) -> TargetStream {
    var stream = self
    stream.isWanted = isWanted
    return stream
  }

  /// The same targets, for an actor who is known now.
  public func asked(about actor: DID) -> TargetStream {
    var stream = self
    stream.actor = actor
    return stream
  }

  /// The same targets, read into memory, so that they can be iterated several times.
  ///
  /// - Throws: what reading throws.
  package func kept() async throws -> TargetStream {
    var origins: [Origin] = []
    for try await part in self { origins += part.map(Origin.question) }
    return TargetStream(origins: origins)
  }

  /// Whether targets may arrive slowly.
  public var isSlow: Bool { origins.contains { $0.source?.isSlow == true } }

  /// Whether a person types targets and waits for each answer.
  public var areTyped: Bool { origins.contains { $0.source?.isTyped == true } }

  /// The file whose failed rows are repeated; nil if there is none.
  public var fileOfFailedRows: String? {
    for case .failedRows(let source) in origins { return source.name }
    return nil
  }

  /// The number of targets in arguments and regular files; nil if it is only known after reading everything.
  public var count: Int? {
    get async {
      var count = 0
      for origin in origins {
        switch origin {
        case .argument, .question: count += 1
        case .file(let source, let column):
          guard let copy = source.copy, let entries = try? await Self.entries(of: copy, column: column) else {
            return nil
          }
          count += entries
        case .failedRows: return nil
        }
      }
      return count
    }
  }

  private static func entries(of source: any ByteSource, column: String?) async throws -> Int {
    var file = OpenFile(source: source, column: column)
    var count = 0
    while let records = try await file.next(isolation: nil) { count += records.count }
    return count
  }

  public func makeAsyncIterator() -> Iterator { Iterator(of: self) }

  public struct Iterator: AsyncIteratorProtocol {
    private var origins: ArraySlice<Origin>
    private let stream: TargetStream
    private var file: OpenFile?
    private var rows: PreviousRunReader?
    /// The error of an entry, thrown after the entries before it.
    private var fault: (any Error)?

    public init(of stream: TargetStream) {
      self.stream = stream
      origins = stream.origins[...]
    }

    public mutating func next() async throws -> [RelationshipQuestion]? { try await next(isolation: nil) }

    /// Stays on the reader's executor: most questions are read already.
    public mutating func next(
      isolation reader: isolated (any Actor)?
    ) async throws -> [RelationshipQuestion]? {
      while let questions = try await read(isolation: reader) {
        let wanted = stream.isWanted.map { isWanted in questions.filter { isWanted($0) } } ?? questions
        if !wanted.isEmpty { return wanted }
      }
      return nil
    }

    private mutating func read(
      isolation reader: isolated (any Actor)?
    ) async throws -> [RelationshipQuestion]? {
      while true {
        if let fault { throw fault }
        while let records = try await file?.next(isolation: reader) {
          let questions = questions(records)
          if !questions.isEmpty { return questions }
          if let fault { throw fault }
        }
        (file, rows) = (nil, nil)
        switch origins.popFirst() {
        case nil: return nil
        case .argument(let text): return [RelationshipQuestion(typed: text)]
        case .question(let question): return [question]
        case .file(let source, let column): file = OpenFile(source: source, column: column)
        case .failedRows(let source):
          rows = PreviousRunReader(file: source.name, actor: stream.actor)
          file = OpenFile(source: source, reader: LineReader(longestLine: PreviousRunReader.longestRow))
        }
      }
    }

    private mutating func questions(_ records: [TextRecord]) -> [RelationshipQuestion] {
      var questions: [RelationshipQuestion] = []
      questions.reserveCapacity(records.count)
      guard rows != nil else {
        let name = file?.source.name ?? ""
        for record in records { if let question = record.question(in: name) { questions.append(question) } }
        return questions
      }
      do {
        for record in records {
          guard let question = try rows?.question(in: record, isLast: file?.isAtEnd == true) else { continue }
          questions.append(question)
        }
      } catch {
        fault = error
      }
      return questions
    }
  }

  /// A file that is being read.
  private struct OpenFile {
    let source: any ByteSource
    private var reader: any TextRecordReader
    private var decoder = TextDecoder()
    private(set) var isAtEnd = false

    init(source: any ByteSource, reader: any TextRecordReader) {
      self.source = source
      self.reader = reader
    }

    init(source: any ByteSource, column: String?) {
      self.init(
        source: source,
        reader: column.map { CSVColumnReader(column: $0, file: source.name) }
          ?? AccountReader(file: source.name))
    }

    /// The next entries, at least one; nil at the end of the file.
    mutating func next(isolation actor: isolated (any Actor)?) async throws -> [TextRecord]? {
      while !isAtEnd {
        let piece = try await source.next()
        isAtEnd = piece.isEmpty
        var records = try reader.received(isAtEnd ? decoder.finish() : decoder.decode(piece))
        if isAtEnd { records += try reader.ended() }
        if !records.isEmpty { return records }
      }
      return nil
    }
  }
}

extension TargetStream.Origin {
  /// Its file, if any.
  fileprivate var source: (any ByteSource)? {
    switch self {
    case .file(let source, _), .failedRows(let source): source
    case .argument, .question: nil
    }
  }
}
