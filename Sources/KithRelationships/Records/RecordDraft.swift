// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A record to be created. Planning adds its key, its `createdAt`, and the fields that name other records of the change.
public struct RecordDraft: Sendable, Hashable {
  /// A field that names another record of the same change.
  public struct Reference: Sendable, Hashable {
    /// The names of the fields that lead to it: `reply`, `parent`.
    public let path: [String]
    /// The index of the other draft, which is an earlier one.
    public let draft: Int
    /// Whether it names exactly the version that is made, by URI and CID; by its URI otherwise.
    public let isStrong: Bool

    /// Creates a reference: `Reference("reply", "parent", to: 0, isStrong: true)`.
    ///
    /// - Parameter draft: the index of an earlier draft of the same change.
    public init(_ path: String..., to draft: Int, isStrong: Bool = false) {
      self.init(path: path, to: draft, isStrong: isStrong)
    }

    package init(path: [String], to draft: Int, isStrong: Bool) {
      (self.path, self.draft, self.isStrong) = (path, draft, isStrong)
    }
  }

  /// The collection of the record.
  public var collection: NSID
  /// The content without `createdAt` and ``references``; `$type` may be left out.
  public var fields: DataObject
  /// The index of the earlier draft whose key it shares, as a threadgate does with its post; nil for a key of its own.
  public var sharedKey: Int?
  /// What names other records of the change.
  public var references: [Reference]

  /// Creates a draft.
  ///
  /// - Parameter sharedKey: the index of an earlier draft whose key it shares.
  public init(
    _ collection: NSID, _ fields: DataObject, sharingKeyOf sharedKey: Int? = nil,
    references: [Reference] = []
  ) {
    (self.collection, self.fields) = (collection, fields)
    (self.sharedKey, self.references) = (sharedKey, references)
  }

  /// Returns the record.
  ///
  /// - Parameter name: what a field says that names another record.
  package func record(createdAt: Datetime, naming name: (Reference) -> DataValue) -> DataValue {
    var fields = fields
    fields["$type"] = .string(collection.description)
    fields["createdAt"] = .string(createdAt.description)
    for reference in references { fields.set(name(reference), at: reference.path[...]) }
    return .object(fields)
  }
}

extension DataObject {
  /// Sets a field of an object inside of it, which is created if it is missing.
  fileprivate mutating func set(_ value: DataValue, at path: ArraySlice<String>) {
    guard let name = path.first else { return }
    guard path.count > 1 else {
      self[name] = value
      return
    }
    var inner = self[name]?.object ?? DataObject()
    inner.set(value, at: path.dropFirst())
    self[name] = .object(inner)
  }
}
