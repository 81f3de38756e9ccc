// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithOperations

extension FigureRow: PrintableRow {
  static let help = """
    Each row is one number. Fields: actor, metric, key (which number of the metric), from and to (the \
    period), value (null if there is too little data), low and high (95 % confidence interval; for forecasts \
    the level that the key names), sample (sample size), unit (count, share from 0 to 1, ratio, seconds, \
    moment: microseconds since 1970), did and handle (the account that it is about), note (such as \
    survivors, partial, interval, unobserved, pruned, too-few, better, worse), after and before (the \
    snapshots between which accounts were lost).
    """

  static let headings = ["METRIC", "KEY", "VALUE", "FROM", "TO", "RANGE", "ABOUT"]

  func tableRow(at now: Datetime) -> TableRow {
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
