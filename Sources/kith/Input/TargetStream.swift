// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting

/// All names of a command, from arguments and files, in order.
///
/// Targets are delivered in batches of what was read at once, because a step of a sequence costs more than a
/// target.
struct TargetStream: AsyncSequence, Sendable {
  typealias Element = [RelationshipQuestion]
  typealias Failure = any Error

  /// One source of targets.
  enum Origin: Sendable {
    case argument(String)
    case question(RelationshipQuestion)
    case file(ByteSource, column: String?)
    /// The output of an earlier run, whose failed rows are repeated.
    case failedRows(ByteSource)
  }

  let origins: [Origin]
  /// The actor, once it is known: rows of an earlier run must be about the same.
  private var actor: DID?
  /// Whether a question is left out; reports why. Nil if all are asked.
  private var skips: (@Sendable (RelationshipQuestion) -> Bool)?

  init(origins: [Origin]) { self.origins = origins }

  /// The same targets without those that have a complaint.
  func skipping(
    _ complaint: @escaping @Sendable (RelationshipQuestion) -> Message?, to skipped: SkippedNames
  ) -> TargetStream {
    var stream = self
    stream.skips = { question in
      guard let complaint = complaint(question) else { return false }
      skipped.skip(complaint)
      return true
    }
    return stream
  }

  /// The same targets, without names that are not valid if those are to be skipped.
  func skippingInvalid(_ skipsInvalid: Bool, to skipped: SkippedNames) -> TargetStream {
    guard skipsInvalid else { return self }
    return skipping(
      { question in
        if case .unreadable(let error) = question.target { Message(error) } else { nil }
      }, to: skipped)
  }

  /// The same targets, for an actor who is known now.
  func asked(about actor: DID) -> TargetStream {
    var stream = self
    stream.actor = actor
    return stream
  }

  /// Whether targets may arrive slowly.
  var readsStdin: Bool { origins.contains { $0.source?.isStdin == true } }

  /// Whether a user types targets and waits for each answer.
  var areTyped: Bool { origins.contains { $0.source?.isTerminal == true } }

  /// The message if there are no targets.
  var absence: Message {
    for case .failedRows(let source) in origins {
      return .noFailedRows(file: source.name)
    }
    return .noInput("targets")
  }

  /// The number of targets in arguments and regular files; nil if it is only known after reading everything.
  var count: Int? {
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

  private static func entries(of source: ByteSource, column: String?) async throws -> Int {
    var file = OpenFile(source: source, column: column)
    var count = 0
    while let records = try await file.next(isolation: nil) { count += records.count }
    return count
  }

  func makeAsyncIterator() -> Iterator { Iterator(of: self) }

  struct Iterator: AsyncIteratorProtocol {
    private var origins: ArraySlice<Origin>
    private let stream: TargetStream
    private var file: OpenFile?
    private var rows: EarlierOutput?
    /// The error of an entry, thrown after the entries before it.
    private var fault: (any Error)?

    init(of stream: TargetStream) {
      self.stream = stream
      origins = stream.origins[...]
    }

    mutating func next() async throws -> [RelationshipQuestion]? { try await next(isolation: nil) }

    /// Stays on the reader's executor: most questions are read already.
    mutating func next(isolation reader: isolated (any Actor)?) async throws -> [RelationshipQuestion]? {
      while let questions = try await read(isolation: reader) {
        let wanted = stream.skips.map { skips in questions.filter { !skips($0) } } ?? questions
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
          rows = EarlierOutput(file: source.name, actor: stream.actor)
          file = OpenFile(source: source, reader: LineReader(longestLine: EarlierOutput.longestRow))
        }
      }
    }

    private mutating func questions(_ records: [TextRecord]) -> [RelationshipQuestion] {
      guard rows != nil else {
        let name = file?.source.name ?? ""
        return records.map { $0.question(in: name) }
      }
      var questions: [RelationshipQuestion] = []
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
    let source: ByteSource
    private var reader: any TextRecordReader
    private var decoder = TextDecoder()
    private(set) var isAtEnd = false

    init(source: ByteSource, reader: any TextRecordReader) {
      self.source = source
      self.reader = reader
    }

    init(source: ByteSource, column: String?) {
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
  fileprivate var source: ByteSource? {
    switch self {
    case .file(let source, _), .failedRows(let source): source
    case .argument, .question: nil
    }
  }
}
