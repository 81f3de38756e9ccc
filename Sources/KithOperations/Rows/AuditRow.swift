// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships
public import KithWriting

/// A finding about the signed-in account.
public struct AuditRow: OperationRow {
  public let finding: AuditFinding
  /// The change that fixes it; nil if it cannot be fixed.
  public let repair: ChangeIntent?
  /// The owner of the list, if there is one and its names are known.
  public var listOwner: AccountView?

  /// Fields: kind, problem (false for information only), did, handle, displayName, list (AT-URI), records (AT-URIs,
  /// duplicates oldest first), since, repair (the title of the change that fixes it), detail.
  public static let fieldNames = [
    "kind", "problem", "did", "handle", "displayName", "list", "records", "since", "repair", "detail",
  ]

  public init(finding: AuditFinding, repair: ChangeIntent?) {
    self.finding = finding
    self.repair = repair
  }

  public func write(to fields: inout RowEncoder) {
    fields.text(finding.kind.rawValue)
    fields.flag(finding.kind.isProblem)
    fields.text(finding.subject?.account.description)
    fields.text(finding.subject?.handle?.description)
    fields.text(finding.subject?.displayName)
    fields.text(finding.list?.description)
    fields.value(.array(finding.records.map { .string($0.description) }))
    fields.text(finding.since?.description)
    fields.text(repair?.title)
    fields.text(finding.detail)
  }

  /// The display name of the account or list.
  public var subject: String {
    if let subject = finding.subject { return subject.account.name(in: subject) }
    return finding.list?.description ?? finding.records.first?.description ?? ""
  }
}
