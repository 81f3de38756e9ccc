// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// A list of the own repository.
public struct OwnList: Sendable, Hashable {
  /// Its address.
  public let uri: ATURI
  /// What its record says, as it stands; nil where that is no value of the data model.
  public let value: DataValue?

  /// Names a list and what its record says.
  public init(uri: ATURI, value: DataValue?) {
    self.uri = uri
    self.value = value
  }

  /// The address of a list of an account, be it there or not.
  public static func uri(_ rkey: RecordKey, of account: DID) -> ATURI {
    ATURI(authority: .did(account), collection: .list, recordKey: rkey)
  }

  /// A list that is still to be made.
  init(uri: ATURI, expected draft: ListDraft) {
    self.init(
      uri: uri, value: ["name": .string(draft.name), "purpose": .string(draft.purpose.name)])
  }

  /// Its name; nil where the record does not say.
  public var name: String? { value?["name"]?.string }
  /// What it is for; nil where the record does not say.
  public var purpose: ListPurpose? {
    value?["purpose"]?.string.map(ListPurpose.init(name:))
  }
  /// What it says about itself.
  public var description: String? { value?["description"]?.string }
  /// When it was made, by the word of whoever made it.
  public var createdAt: Datetime? { value?["createdAt"]?.string.flatMap { Datetime($0) } }
}
