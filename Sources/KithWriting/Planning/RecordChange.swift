// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// Changes own records that Kith has no rules for, such as notes or starter packs; their content is not interpreted. New
/// posts are made this way, too.
public enum RecordChange: Sendable, Hashable {
  /// Make new records, all or nothing.
  case make([RecordDraft])
  /// Create the record, or replace its content.
  case put(ATURI, DataObject)
  /// Delete the record.
  case delete(ATURI)

  var title: String {
    switch self {
    case .make(let drafts): drafts.first?.collection == .post ? "post" : "make record"
    case .put: "set record"
    case .delete: "delete record"
    }
  }

  var subject: ChangeStep.Subject {
    switch self {
    case .make(let drafts): .newRecords(DraftsDigest(of: drafts))
    case .put(let record, _), .delete(let record): .record(record)
    }
  }

  /// The record that it is about; nil for new ones.
  public var record: ATURI? {
    switch self {
    case .make: nil
    case .put(let record, _), .delete(let record): record
    }
  }

  /// The collection of the records; of several, that of the first.
  var collection: NSID? {
    switch self {
    case .make(let drafts): drafts.first?.collection
    case .put(let record, _), .delete(let record): record.collection
    }
  }

  /// Whether it leaves records rather than none.
  var makesRecords: Bool { if case .delete = self { false } else { true } }
}

extension ATURI {
  /// The name of a record in its repository; nil for a URI that names no record.
  var recordName: RecordName? {
    if let collection, let recordKey { RecordName(recordKey, in: collection) } else { nil }
  }
}
