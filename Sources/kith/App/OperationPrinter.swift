// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations

/// Shows what an operation reports: rows on standard output, notes on standard error, progress on the terminal.
final class OperationPrinter<Row: PrintableRow>: Sendable {
  private let common: CommonOptions
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
    _ wiring: Wiring, verb: String, isLive: Bool = false, printsRows: Bool = true, countsRows: Bool = true
  ) throws(CommandFault) {
    common = wiring.common
    self.printsRows = printsRows
    self.countsRows = countsRows
    line = wiring.progressLine(verb)
    var printer = try common.printer(of: Row.self, environment: wiring.environment, progress: line)
    printer.isLive = isLive
    self.printer = PosixMutex(printer)
  }

  deinit { line.end() }

  /// Receives what the operation says.
  var reporter: Reporter<Row> {
    var reporter = Reporter<Row>(rows: { [self] in try print($0) }, note: { [self] in say($0) })
    if line.isShown { reporter.progress = { [line] in line.show($0) } }
    return reporter
  }

  private func say(_ note: Note) { common.say(note, beside: line) }

  private func print(_ rows: [Row]) throws {
    if printsRows {
      try printer.withLock { printer in
        for row in rows { try printer.print(row) }
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

extension ProgressLine {
  /// Shows how far an operation has come.
  func show(_ progress: RunProgress) {
    switch progress {
    case .expects(let total): expect(total)
    case .reached(let count): reach(count)
    }
  }
}
