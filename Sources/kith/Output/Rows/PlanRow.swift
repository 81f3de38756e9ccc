// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

/// One step of a plan, or the total, as a row of `--explain`.
struct PlanRow: PrintableRow {
  /// What help says about the rows of a plan.
  static let help = "With --explain: step, collection, calls, targets, bytes, points, seconds, estimate."

  let step: String
  let collection: NSID?
  let calls: Int?
  let targets: Int?
  let bytes: Int?
  let points: Int
  let seconds: String?
  let isEstimate: Bool
  /// What the known steps of an unknown total need at least.
  var least: Int?

  static let fieldNames = [
    "step", "collection", "calls", "targets", "bytes", "points", "seconds", "estimate",
  ]
  static let headings = ["STEP", "CALLS", "TARGETS", "BYTES", "POINTS", "SECONDS"]

  /// The steps of a plan, then their sum.
  static func rows(_ plan: CostPlan) -> [PlanRow] {
    plan.steps.map {
      PlanRow(
        step: $0.name, collection: $0.collection, calls: $0.calls, targets: nil, bytes: $0.bytes,
        points: $0.points, seconds: $0.time.map(DurationText.seconds), isEstimate: $0.isEstimate)
    }
      + [
        PlanRow(
          step: "total", collection: nil, calls: plan.calls, targets: plan.targets, bytes: plan.bytes,
          points: plan.points, seconds: plan.time.map(DurationText.seconds),
          isEstimate: !plan.assumptions.isEmpty,
          least: plan.calls == nil ? plan.steps.reduce(0) { $0 + ($1.calls ?? 0) } : nil)
      ]
  }

  func write(to fields: inout RowEncoder) {
    fields.text(step)
    fields.text(collection?.description)
    fields.number(calls)
    fields.number(targets)
    fields.number(bytes)
    fields.number(points)
    fields.number(digits: seconds)
    fields.flag(isEstimate)
  }

  func tableRow(at now: Datetime) -> TableRow {
    /// Nil is "unknown", except for the targets of a single step.
    func cell(_ text: String?) -> TableRow.Cell { TableRow.Cell(text ?? "unknown") }
    func estimate(_ number: Int?) -> TableRow.Cell { cell(number.map { (isEstimate ? "~" : "") + "\($0)" }) }
    let isTotal = step == "total"
    let name = collection.map { "\(step) (\($0.name))" } ?? step
    return TableRow(cells: [
      TableRow.Cell(name, isTotal ? .strong : nil),
      least.map { TableRow.Cell("at least \($0)") } ?? estimate(calls),
      isTotal ? cell(targets.map(String.init)) : TableRow.Cell(""), estimate(bytes),
      TableRow.Cell("\(points)"), cell(seconds),
    ])
  }
}
