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
      PlanRow(step: $0.method.description, calls: $0.calls, targets: nil, bytes: nil, seconds: nil)
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
    func cell(_ number: Int?) -> TableRow.Cell {
      TableRow.Cell(number.map(String.init) ?? (step == "total" ? "depends" : ""))
    }
    return TableRow(cells: [
      TableRow.Cell(step, step == "total" ? .strong : nil),
      TableRow.Cell(calls.map(String.init) ?? "depends"),
      cell(targets), cell(bytes), TableRow.Cell(seconds ?? (step == "total" ? "depends" : "")),
    ])
  }
}
