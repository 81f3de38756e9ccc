// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension ListRow: PrintableRow {
  static let headings = ["NAME", "PURPOSE", "MEMBERS", "DESCRIPTION", "LIST"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      name.map { TableRow.Cell($0, .strong) } ?? TableRow.Cell("unreadable", .bad),
      TableRow.Cell(purpose?.word ?? "unknown"), TableRow.Cell(members.map(String.init) ?? "?"),
      TableRow.Cell(description ?? ""),
      TableRow.Cell(uri.reference(of: owner, named: ownerHandle), whole: true),
    ])
  }
}

extension MemberRow: PrintableRow {
  static let headings = ["ACCOUNT", "SINCE", "NAME"]

  var unnamed: [DID] { member.handle == nil ? [member.account] : [] }

  func named(by known: [DID: AccountView]) -> MemberRow {
    guard let view = known[member.account] else { return self }
    return MemberRow(list: list, member: member.named(by: view), asksRelationship: asksRelationship)
  }

  func tableRow(at now: Datetime) -> TableRow {
    let status = member.status.flatMap { $0 == .active ? nil : $0.rawValue }
    let more = [asksRelationship ? member.relationship?.words : nil, status].compactMap(\.self)
    let words = [member.displayName, more.isEmpty ? nil : "(\(more.joined(separator: ", ")))"].compactMap(
      \.self)
    return TableRow(cells: [
      TableRow.Cell(member.account.name(in: member), whole: true),
      TableRow.Cell(member.since.map { String($0.description.prefix(10)) } ?? ""),
      TableRow.Cell(words.joined(separator: " "), status == nil ? nil : .bad),
    ])
  }
}
