// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension FriendRow: PrintableRow {
  static let headings = ["ACCOUNT", "BY", "SINCE", "NAME"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(view.name, whole: true),
      TableRow.Cell(basis.rawValue, basis == .consent ? .strong : nil),
      TableRow.Cell(since.map { String($0.description.prefix(10)) } ?? ""),
      TableRow.Cell(view.displayName ?? ""),
    ])
  }
}

extension FriendRequestRow: PrintableRow {
  static let headings = ["ACCOUNT", "KIND", "STATE", "ASKED", "RELATION", "FOLLOWERS", "NAME"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(view.name, whole: true), TableRow.Cell(request.kind.rawValue),
      TableRow.Cell(state.rawValue, state == .open ? .strong : nil),
      TableRow.Cell(RelativeTimeText.relative(request.createdAt, to: now)),
      TableRow.Cell(relation ?? "unknown"), TableRow.Cell(view.counts?.followers.map { "\($0)" } ?? ""),
      TableRow.Cell(view.displayName ?? ""),
    ])
  }
}

extension FriendPolicyRow: PrintableRow {
  static let headings = [
    "ACCOUNT", "TAKES PART", "WHO MAY ASK", "APPROVES FOLLOWERS", "REQUESTS END AFTER", "ON WEAVER",
  ]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(view.name, whole: true), TableRow.Cell(policy == nil ? "no" : "yes"),
      TableRow.Cell(policy?.whoMayAsk.word ?? ""),
      TableRow.Cell(policy.map { $0.requiresApproval ? "yes" : "no" } ?? ""),
      TableRow.Cell(policy?.requestLifetime.map { "\($0.components.seconds / 3_600)h" } ?? ""),
      TableRow.Cell(approvesOnWeaver ? "approves followers" : ""),
    ])
  }
}

extension CountRow: PrintableRow {
  static let headings = ["COUNT"]

  func tableRow(at now: Datetime) -> TableRow { TableRow(cells: [TableRow.Cell("\(count)")]) }
}
