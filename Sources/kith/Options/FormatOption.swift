// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What `--format` names: a format of rows, or one of pages, which only `kith stats -o` writes.
enum FormatOption: ExpressibleByArgument, Equatable, CustomStringConvertible, Sendable {
  case rows(OutputFormat)
  case page(ReportFormat)

  init?(argument: String) {
    if let format = OutputFormat(rawValue: argument) {
      self = .rows(format)
    } else if let format = ReportFormat(rawValue: argument) {
      self = .page(format)
    } else {
      return nil
    }
  }

  var description: String {
    switch self {
    case .rows(let format): format.rawValue
    case .page(let format): format.rawValue
    }
  }

  /// The formats of rows, as help and completions show them.
  static let allValueStrings = OutputFormat.allCases.map(\.rawValue)
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension CommonOptions {
  /// Whether a format of rows was requested.
  var isFormatOfRows: Bool { if case .rows? = format { true } else { false } }

  /// The requested format of a page; nil if none was.
  var pageFormat: ReportFormat? { if case .page(let format)? = format { format } else { nil } }
}
