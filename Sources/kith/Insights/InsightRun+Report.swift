// SPDX-License-Identifier: Apache-2.0

import KithInsights
import KithOperations

extension ReportFormat {
  /// The format for a file name extension; HTML for a name without one.
  ///
  /// - Throws: ``CommandFault`` `usage` for an unknown one.
  init(ofFile file: String) throws(CommandFault) {
    switch Program.fileType(of: file) {
    case "html", "htm", nil: self = .html
    case "md", "markdown": self = .md
    case "svg": self = .svg
    case "png": self = .png
    default:
      throw CommandFault(
        .usage,
        .unknownFileType(file, known: [".html", ".md", ".svg", ".png"], format: "html, md, svg or png"))
    }
  }
}

extension InsightRun {
  /// Writes a report to a file, which appears once it is complete; `-` is standard output.
  func writeReport(
    _ statistics: ComputeStatistics, to path: String, as form: ReportFormat, theme: PictureTheme
  ) async throws {
    // A file that cannot be written, and a program that is missing, are reported before any call.
    let converter = form == .png ? try PictureConverter(in: context.environment) : nil
    let file = path == "-" ? nil : try OutputFile(path: path, isPublic: true)
    var statistics = statistics
    statistics.wantsRows = false
    let cost = CostReport(context)
    let (line, process) = (context.progressLine("read"), context.process)
    defer { line.end() }
    var reporter = Reporter<FigureRow>(rows: { _ in })
    if line.isShown { reporter.progress = { line.show($0, at: process.now) } }
    let outcome = try await statistics.run(in: context.workspace, reporter)
    line.end()
    report(outcome, cost)
    let page = outcome.insights.report(of: statistics.metrics)
    guard !form.isPicture || page.isDrawable else { throw CommandFault(.notFound, .nothingToDraw(path)) }
    let bytes: [UInt8] =
      switch form {
      case .html: Array(page.html().utf8)
      case .md: Array(page.markdown().utf8)
      case .svg: Array(page.svg(theme).utf8)
      case .png: try await converter?.png(of: page.svg(theme == .dark ? .dark : .light)) ?? []
      }
    try write(bytes, to: file, named: path)
    try check(outcome)
  }

  /// - Parameter file: nil for standard output.
  private func write(_ bytes: [UInt8], to file: consuming OutputFile?, named path: String) throws {
    guard let file else { return try context.output.write(bytes) }
    try OutputDescriptor(number: file.descriptor, name: path).write(bytes)
    try file.finish()
    if !context.common.quiet { context.report(.reportWritten(path, bytes: bytes.count)) }
  }
}
