// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons
internal import KithRelationships

/// A change of one's own profile (lexicon `app.bsky.actor.profile`). What is nil stays as it is, and so do fields that this
/// version does not know.
public struct ProfileEdit: Sendable, Hashable {
  /// The name: at most 64 graphemes; empty to remove it.
  public var name: String?
  /// What the account says about itself: at most 256 graphemes; empty to remove it.
  public var bio: String?
  /// The address of a website; empty to remove it.
  public var website: String?
  /// The pronouns: at most 20 graphemes; empty to remove them.
  public var pronouns: String?
  /// The picture: JPEG or PNG, at most 1,000,000 bytes.
  public var avatar: Blob?
  /// The picture behind the profile: JPEG or PNG, at most 1,000,000 bytes.
  public var banner: Blob?

  /// Changes nothing.
  public init() {}

  /// The texts of a profile, by their names in exports.
  package enum Text: String, CaseIterable, Sendable {
    case name, bio, website, pronouns

    /// The field of the record.
    package var field: String {
      switch self {
      case .name: "displayName"
      case .bio: "description"
      case .website, .pronouns: rawValue
      }
    }

    fileprivate var place: WritableKeyPath<ProfileEdit, String?> {
      switch self {
      case .name: \.name
      case .bio: \.bio
      case .website: \.website
      case .pronouns: \.pronouns
      }
    }
  }

  /// The new value of a text; nil for what stays.
  package subscript(text: Text) -> String? {
    get { self[keyPath: text.place] }
    set { self[keyPath: text.place] = newValue }
  }

  /// Why a new text cannot be published, as a phrase; nil if it can, or if the text stays.
  ///
  /// A website has to be one that a browser opens.
  package func fault(of text: Text) -> String? {
    var part = ProfileEdit()
    part[text] = self[text]
    do { _ = try part.record(replacing: nil, at: Datetime(at: .epoch)) } catch {
      return (error as? ValidationError)?.reason ?? "\(error)"
    }
    guard text == .website, let address = website, !address.isEmpty,
      !["http://", "https://"].contains(where: address.lowercased().hasPrefix)
    else { return nil }
    return "an address begins with https:// or http://"
  }

  /// The most bytes of a picture.
  public static let mostPictureBytes = 1_000_000

  /// Returns the new record.
  ///
  /// - Throws: `ValidationError` if a new field breaks the lexicon or has a control character. The others stay as their
  ///   author wrote them.
  func record(replacing former: DataValue?, at now: Datetime) throws -> DataValue {
    var fields: DataObject = former?.object ?? ["createdAt": .string(now.description)]
    var changed = DataObject()
    for (field, text) in Text.allCases.map({ ($0.field, self[$0]) }) {
      guard let text = try text.map({ try PlainText.published($0, as: field) }) else { continue }
      fields[field] = text.isEmpty ? nil : .string(text)
      if !text.isEmpty { changed[field] = .string(text) }
    }
    for (field, blob) in [("avatar", avatar), ("banner", banner)] {
      guard let blob else { continue }
      let value = try DataValue(encoding: blob)
      fields[field] = value
      changed[field] = value
    }
    let type = DataValue.string(NSID.profile.description)
    (fields["$type"], changed["$type"]) = (type, type)
    try DataValue.object(changed).decode(App.Bsky.Actor.Profile.self, strictly: true).validate()
    return .object(fields)
  }
}

extension ChangePlanner {
  func plan(_ edit: ProfileEdit, knowing known: SubjectFacts) -> PlannedChange {
    let intent = ChangeIntent.profile(edit)
    guard let own = known.records[.profile] else { return unknown(intent, "your profile") }
    let former = own.first { $0.rkey == .literalSelf }
    // A record outside the data model must not be replaced by one without its fields.
    if let former, former.value?.object == nil { return unknown(intent, "your profile") }
    let value: DataValue
    do { value = try edit.record(replacing: former?.value, at: now) } catch {
      return PlannedChange(intent, .refused(.invalidProfile("\(error)")))
    }
    if former?.value == value { return PlannedChange(intent, .holds) }
    let write = RecordWrite(
      collection: .profile, rkey: .literalSelf,
      action: former.map { .update(value, former: $0.value) } ?? .create(value))
    return PlannedChange(intent, commits(.profile, [write]))
  }
}

extension ChangeRefusal {
  static func invalidProfile(_ reason: String) -> ChangeRefusal {
    ChangeRefusal(.invalid, "invalid profile: \(reason)")
  }
}
