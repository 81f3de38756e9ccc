// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithOperations

/// One number of the analytics, as a row.
struct FigureRow: PrintableRow {
  let actor: DID
  let figure: Figure

  static let fieldNames = [
    "actor", "metric", "key", "from", "to", "value", "low", "high", "sample", "unit", "did", "handle", "note",
  ]

  static let help = """
    Each row is one number. Fields: actor, metric, key (which number of the metric), from and to (the \
    period), value (null if there is too little data), low and high (95 % confidence interval; for forecasts \
    the level that the key names), sample (sample size), unit (count, share from 0 to 1, ratio, seconds, \
    moment: microseconds since 1970), did and handle (the account that it is about), note (such as \
    survivors, partial, delayed, pruned, too-few, better, worse).
    """

  static let headings = ["METRIC", "KEY", "VALUE", "FROM", "TO", "RANGE", "ABOUT"]

  func write(to fields: inout RowEncoder) {
    fields.text(actor)
    fields.text(figure.metric.rawValue)
    fields.text(figure.key)
    fields.text(figure.from.map { Datetime(at: $0).description })
    fields.text(figure.to.map { Datetime(at: $0).description })
    fields.number(digits: Self.digits(figure.value))
    fields.number(digits: Self.digits(figure.low))
    fields.number(digits: Self.digits(figure.high))
    fields.number(figure.sampleSize)
    fields.text(figure.unit.rawValue)
    fields.text(figure.account?.did)
    fields.text(figure.account?.handle)
    fields.text(figure.note)
  }

  /// Whole numbers without a decimal point; nil for infinity, which JSON lacks.
  private static func digits(_ value: Double?) -> String? {
    value.flatMap { value in
      value.isFinite ? Int64(exactly: value).map(String.init) ?? "\(value)" : nil
    }
  }

  var tableRow: TableRow {
    func day(_ moment: Instant?) -> String {
      moment.map { String(Datetime(at: $0).description.prefix(10)) } ?? ""
    }
    let about = [figure.account?.name, figure.note].compactMap(\.self).joined(separator: ": ")
    return TableRow(
      cells: [
        figure.metric.rawValue, figure.key, figure.valueText ?? "", day(figure.from), day(figure.to),
        figure.intervalText ?? "",
        about,
      ].map { TableRow.Cell($0) })
  }
}
