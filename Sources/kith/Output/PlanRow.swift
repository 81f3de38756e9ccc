// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Relationships

/// One step of a plan, or all of them together, as `--explain` prints it.
struct PlanRow: PrintableRow {
  let step: String
  let calls: Int?
  let targets: Int?
  let bytes: Int?
  let seconds: String?

  static let fieldNames = ["step", "calls", "targets", "bytes", "seconds"]
  static let headings = ["STEP", "CALLS", "TARGETS", "BYTES", "SECONDS"]

  /// The steps of a plan, then their sum.
  static func rows(_ plan: CheckPlan) -> [PlanRow] {
    plan.steps.map {
      PlanRow(
        step: $0.method.description, calls: $0.calls, targets: nil, bytes: $0.bytes,
        seconds: $0.time.map(DurationText.seconds))
    }
      + [
        PlanRow(
          step: "total", calls: plan.calls, targets: plan.targets, bytes: plan.bytes,
          seconds: plan.time.map(DurationText.seconds))
      ]
  }

  func write(to fields: inout RowEncoder) {
    fields.text(step)
    fields.number(calls)
    fields.number(targets)
    fields.number(bytes)
    fields.number(digits: seconds)
  }

  var tableRow: TableRow {
    /// Null is "depends on what a listing brings", but for the targets of a single step.
    func cell(_ text: String?) -> TableRow.Cell { TableRow.Cell(text ?? "depends") }
    let isTotal = step == "total"
    return TableRow(cells: [
      TableRow.Cell(step, isTotal ? .strong : nil), cell(calls.map(String.init)),
      isTotal ? cell(targets.map(String.init)) : TableRow.Cell(""), cell(bytes.map(String.init)),
      cell(seconds),
    ])
  }
}
