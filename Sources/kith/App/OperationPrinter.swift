// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// Shows what an operation reports: rows on standard output, notes on standard error, progress on the terminal.
final class OperationPrinter<Row: PrintableRow>: Sendable {
  private let context: CommandContext
  private let line: ProgressLine
  private let printer: PosixMutex<RowPrinter<Row>>
  /// Whether rows are printed, or only the outcome counts.
  private let printsRows: Bool
  private let countsRows: Bool

  /// - Parameters:
  ///   - verb: the participle for a row in the progress line, such as `checked`.
  ///   - isLive: whether rows answer typed input and must appear immediately.
  ///   - countsRows: whether the progress line counts rows; otherwise what the operation reaches.
  /// - Throws: ``CommandFault`` for a format that only reports support.
  init(
    _ context: CommandContext, verb: String, isLive: Bool = false, printsRows: Bool = true,
    countsRows: Bool = true
  ) throws(CommandFault) {
    self.context = context
    self.printsRows = printsRows
    self.countsRows = countsRows
    line = context.progressLine(verb)
    var printer = try context.printer(of: Row.self, progress: line)
    printer.isLive = isLive
    self.printer = PosixMutex(printer)
  }

  deinit { line.end() }

  /// Receives what the operation says.
  var reporter: Reporter<Row> {
    var reporter = Reporter<Row>(
      rows: { [self] in try print(try await named($0)) }, note: { [self] in report($0) })
    if line.isShown {
      reporter.progress = { [line, process = context.process] in line.show($0, at: process.now) }
    }
    return reporter
  }

  /// The longest wait that a quiet run does not mention: a longer one would look like a hang.
  private static var longestSilence: Duration { .seconds(60) }

  /// Writes what the operation says to standard error.
  func report(_ note: Note) {
    if case .jobWaiting(let job, let until, let wait) = note {
      // The progress line shows it.
      if line.isShown || context.common.quiet && until.instant - context.time.instant < Self.longestSilence {
        return
      }
      return context.report(.jobWaiting(job, until: until, wait, at: context.process.now))
    }
    context.report(note, beside: line)
  }

  /// Writes a message to standard error.
  func report(_ message: Message) { line.report(message) }

  /// Writes the rows that wait, and clears the progress line, for a question.
  ///
  /// - Throws: ``CommandFault`` if the output cannot be written.
  func pause() throws {
    try printer.withLock { try $0.pause() }
    line.pause()
  }

  /// Shows the rows that a question is about: where the others are if that is a table on a terminal, else as a table on
  /// the terminal of the question, because what programs read does not serve as a preview.
  ///
  /// - Returns: whether they are where the others are.
  /// - Throws: ``CommandFault`` if they cannot be written.
  func show(_ rows: [Row]) throws -> Bool {
    let areTogether = isTable && context.output.isTerminal
    if areTogether {
      try printer.withLock { printer in for row in rows { try printer.print(row) } }
    } else {
      let terminal = context.process.standardError
      var table = RowPrinter<Row>(
        format: .table,
        palette: Palette(
          isTerminal: true, forbidden: context.common.noColor, environment: context.environment),
        time: context.time, output: LineOutput(to: terminal, progress: line))
      for row in rows { try table.print(row) }
      try table.finish()
    }
    try pause()
    return areTogether
  }

  /// Whether people read the rows.
  var isTable: Bool { printer.withLock { $0.isTable } }

  /// Whether rows were printed.
  var hasRows: Bool { printer.withLock { $0.count > 0 } }

  /// The rows with the names that earlier runs have seen: a table does not show a DID where a name is known.
  private func named(_ rows: [Row]) async throws -> [Row] {
    guard printsRows, isTable else { return rows }
    return try await context.named(rows)
  }

  private func print(_ rows: [Row]) throws {
    if printsRows {
      try printer.withLock { printer in
        // In place: rows are large, and a loop over the rows themselves copies each.
        try rows.withUnsafeBufferPointer { rows in
          for place in rows.indices { try printer.print(rows[place]) }
        }
        try printer.flush()
      }
    }
    if countsRows { line.advance(by: rows.count) }
  }

  /// Ends the output, and removes the progress line.
  ///
  /// - Parameter isClosed: whether the output takes no more.
  /// - Throws: ``CommandFault`` if the output cannot be written.
  func finish(isClosed: Bool = false) throws {
    line.end()
    if printsRows, !isClosed { try printer.withLock { try $0.finish() } }
  }
}

extension CommandContext {
  /// Rows of a table with the names that earlier runs have seen.
  ///
  /// - Parameter asks: whether the AppView is asked for other names.
  func named<Row: PrintableRow>(_ rows: [Row], asking asks: Bool = false) async throws -> [Row] {
    let unnamed = rows.flatMap(\.unnamed)
    if unnamed.isEmpty { return rows }
    // A question does not wait for names.
    var known = try await workspace.names(within: .seconds(2)).views(of: unnamed, asking: asks)
    if unnamed.contains(where: { known[$0] == nil }), let own = try? await workspace.accountIfAny() {
      known[own.did] = known[own.did] ?? AccountView(own.did, handle: own.handle)
    }
    return known.isEmpty ? rows : rows.map { $0.named(by: known) }
  }
}

extension OperationPrinter {
  /// Ends the output.
  ///
  /// - Throws: what ended the rows before their end; ``CommandFault`` if the output cannot be written.
  func finish(_ rows: RowsOutcome) throws {
    try finish(isClosed: rows.isClosed)
    if let failure = rows.interruption { throw failure }
  }
}

extension ProgressLine {
  /// Shows how far an operation has come.
  func show(_ progress: RunProgress, at now: Datetime) {
    switch progress {
    case .expects(let total): expect(total)
    case .reached(let count): reach(count)
    case .following(let progress): report(progress, at: now)
    case .job(let progress): report(progress, at: now)
    }
  }

  /// Shows how far a stream was read.
  private func report(_ progress: LiveProgress, at now: Datetime) {
    let age = progress.place.map { "the last \(RelativeTimeText.relative(Datetime(at: $0), to: now))" }
    report(
      progress.read, of: nil, as: "events read",
      wait: progress.host == nil || progress.isBroken ? "connecting" : nil,
      notes: [progress.host, age].compactMap(\.self))
  }

  /// Shows the progress of a job.
  private func report(_ progress: JobProgress, at now: Datetime) {
    var notes: [String] = []
    let failed = progress.counts[.failed]
    if failed > 0 { notes.append("\(failed) failed") }
    notes.append("\(progress.counts.left) left")
    if progress.counts.pointsLeft > 0 { notes.append("\(progress.counts.pointsLeft) points left") }
    var waiting: String?
    if let until = progress.waitsUntil, let wait = progress.wait {
      waiting = "waiting until \(RelativeTimeText.at(until, from: now)) \(wait.words)"
    }
    if let eta = progress.eta, progress.counts.left > 0 {
      notes.append("done \(RelativeTimeText.relative(eta, to: now))")
    }
    report(
      progress.counts[.done], of: progress.counts.total, as: "done", wait: waiting, notes: notes)
  }
}
