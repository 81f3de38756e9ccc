// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension CommandContext {
  /// Runs an operation that has nothing to say besides its rows and notes, and prints them.
  ///
  /// - Parameters:
  ///   - verb: the participle for a row in the progress line, such as `checked`.
  ///   - emptiness: what to say if there are no rows; nil for nothing.
  /// - Throws: what ended the rows, after those before.
  func print<Operation: KithOperation>(
    _ operation: Operation, verb: String, orSay emptiness: Message? = nil
  ) async throws where Operation.Row: PrintableRow, Operation.Outcome == RowsOutcome {
    let printer = try OperationPrinter<Operation.Row>(self, verb: verb)
    let rows = try await operation.run(in: workspace, printer.reporter)
    try printer.finish(rows)
    if rows.count == 0, let emptiness, !common.quiet { report(emptiness) }
  }

  /// Prints the members of a list.
  ///
  /// - Returns: how many there were.
  @discardableResult
  func print(_ members: ListMembers) async throws -> Int {
    let cost = CostReport(self)
    let printer = try OperationPrinter<MemberRow>(self, verb: "read")
    let outcome = try await members.run(in: workspace, printer.reporter)
    try printer.finish(outcome.rows)
    try end(outcome, saying: outcome.doubt.flatMap { fault(reported: $0).message })
    if common.verbose { cost.report() }
    return outcome.rows.count
  }

  /// Ends a command as its operation ended: the one place that gives an outcome its exit status.
  ///
  /// - Parameter message: why something is missing, if no report has said so.
  /// - Throws: what ended the operation early; ``CommandFault`` with the status if it is not done.
  func end(_ outcome: some OperationOutcome, saying message: Message? = nil) throws {
    let status = ExitStatus(outcome.ending)
    // The ending does not know the errors of a command; they have a status of their own.
    if let fault = outcome.interruption as? CommandFault { throw fault }
    if let failure = outcome.interruption { throw CommandFault.ending(with: failure, after: status) }
    if status != .success { throw CommandFault(status, message) }
  }

  /// Ends a listing, of which perhaps only the number of rows is wanted.
  ///
  /// - Parameters:
  ///   - count: the number to print; nil where the rows were printed.
  ///   - message: what the listing comes to.
  /// - Throws: why the listing is not complete.
  func finish<Row: PrintableRow>(
    _ printer: OperationPrinter<Row>, _ outcome: some OutcomeOfRows, counting count: Int? = nil,
    saying message: Message?, _ cost: CostReport
  ) throws {
    let rows = outcome.rows
    try printer.finish(isClosed: rows.isClosed)
    if let count, rows.interruption == nil { try print(CountRow(count: count)) }
    // A call that failed before the first row has found nothing out, so there is not a zero to print.
    let isLearned = rows.interruption == nil || rows.count > 0 || message?.level != .summary
    if let message, isLearned { report(message) }
    if common.verbose { cost.report() }
    try end(outcome)
  }

  // MARK: Rows

  /// Runs a command whose rows go to a file, which appears once it is complete and whose extension sets the format, or
  /// to standard output, which `-` also means.
  ///
  /// - Parameter body: prints the rows; receives the path of the file, nil for standard output, and returns what to say
  ///   once the output is complete.
  /// - Throws: ``CommandFault`` for a file that cannot be written, or of an unknown type.
  static func writing(
    to path: String?, _ common: CommonOptions, _ network: NetworkOptions, _ process: RunContext,
    _ body: (CommandContext, _ file: String?) async throws -> [Message]
  ) async throws {
    var common = common
    let path = path == "-" ? nil : path
    if let path, common.format == nil, !common.json { common.format = .rows(try OutputFormat(ofFile: path)) }
    let file = try path.map { path throws(CommandFault) in try OutputFile(path: path) }
    let descriptor = file.map { OutputDescriptor(number: $0.descriptor, name: $0.name) }
    let context = try CommandContext(common, network, process, writingTo: descriptor)
    let messages = try await body(context, path)
    try file?.finish()
    for message in messages { context.report(message) }
  }

  /// A printer of rows.
  ///
  /// - Parameter progress: the progress line to clear before rows on the same terminal.
  /// - Throws: ``CommandFault`` for a format that only reports support.
  func printer<Row: PrintableRow>(
    of row: Row.Type, progress: ProgressLine? = nil
  ) throws(CommandFault) -> RowPrinter<Row> {
    try common.printer(of: row, in: process, to: output, progress: progress)
  }

  /// Prints a single row.
  func print<Row: PrintableRow>(_ row: Row) throws(CommandFault) {
    var printer = try printer(of: Row.self)
    try printer.print(row)
    try printer.finish()
  }

  /// Prints rows; those before a failure are still printed.
  ///
  /// - Throws: errors of the body; ``CommandFault`` if the output cannot be written.
  func printing<Row: PrintableRow>(
    _ row: Row.Type, progress: ProgressLine? = nil, _ body: (inout RowPrinter<Row>) async throws -> Void
  ) async throws {
    var printer = try printer(of: row, progress: progress)
    do {
      try await body(&printer)
    } catch {
      progress?.end()
      if (error as? CommandFault)?.status != .readerGone { try printer.finish() }
      throw error
    }
    progress?.end()
    try printer.finish()
  }

  /// Prints a plan, and its assumptions to standard error.
  ///
  /// - Throws: ``CommandFault`` if the output cannot be written.
  func print(_ plan: CostPlan) throws(CommandFault) {
    var printer = try printer(of: PlanRow.self)
    for row in PlanRow.rows(plan) { try printer.print(row) }
    try printer.finish()
    if !common.quiet { report(.planAssumptions(plan, concurrency: workspace.concurrency)) }
  }

  // MARK: Messages

  /// Writes a message to standard error.
  func report(_ message: Message) { process.report(message) }

  /// Writes what an operation says to standard error.
  ///
  /// - Parameter line: the progress line to clear before.
  func report(_ note: Note, beside line: ProgressLine? = nil) {
    let messages =
      if case .preparing(.postsComposed(let composition)) = note {
        Message.previews(of: composition)
      } else { [Message(note)].compactMap(\.self) }
    for message in messages where !common.quiet || message.level == .error {
      if let line { line.report(message) } else { report(message) }
    }
  }

  /// Asks for confirmation on the terminal.
  var confirmation: Confirmation { Confirmation(process: process) }

  /// Reports what a listing leaves out, once it has ended.
  ///
  /// - Throws: ``CommandFault`` if accounts may be missing because of an error. The report names the error
  ///   already, unless it is not wanted.
  func report(_ report: ListingReport, beside line: ProgressLine? = nil) throws(CommandFault) {
    self.report(.listed(report), beside: line)
    if let doubt = report.coverage.doubt { throw fault(reported: doubt) }
  }

  /// The fault that ends a command because of an error that a report has named already, unless it was not wanted.
  func fault(reported error: any Error) -> CommandFault {
    let fault = CommandFault(any: error) ?? CommandFault(.unavailable, Message(other: error))
    return common.quiet ? fault : CommandFault(fault.status)
  }
}

extension CostReport {
  /// The cost of a command, with what it prepares before its operation runs.
  init(_ context: CommandContext) {
    self.init(context.workspace.meter, in: context.process, since: context.started)
  }
}

extension OutputFormat {
  /// The format for a file name extension; CSV without one.
  ///
  /// - Throws: ``CommandFault`` `usage` for an unknown one.
  fileprivate init(ofFile name: String) throws(CommandFault) {
    switch Program.fileType(of: name) {
    case "json": self = .json
    case "ndjson", "jsonl": self = .ndjson
    case "csv", nil: self = .csv
    default:
      throw CommandFault(
        .usage, .unknownFileType(name, known: [".csv", ".json", ".ndjson"], format: "csv, json or ndjson"))
    }
  }
}
