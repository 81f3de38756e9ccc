// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons
internal import KithRelationships

/// Lists and their members. Only the account's own lists can be changed.
extension ChangePlanner {
  func plan(_ change: ListChange, knowing known: SubjectFacts) -> PlannedChange {
    guard change.list.authority == .did(account) else { return refuse(change, .notYourList(change.list)) }
    guard let lists = known.list?.lists else { return unknown(.list(change), "your lists") }
    let list = lists.first { $0.uri == change.list }
    let namesakes = lists.filter { $0.uri != change.list }
    switch change {
    case .create(_, let draft): return create(change, draft, list, namesakes)
    case .edit(_, let edit): return self.edit(change, edit, list, namesakes)
    case .delete: return delete(change, list, known)
    case .clear:
      if let list { return refuse(change, .listIsThere(list.uri)) }
      return delete(change, nil, known)
    }
  }

  // MARK: Lists themselves

  private func create(
    _ change: ListChange, _ draft: ListDraft, _ list: OwnList?, _ namesakes: [OwnList]
  ) -> PlannedChange {
    let known = (list.map { [$0] } ?? []) + namesakes
    if let same = known.first(where: draft.isMet) {
      return PlannedChange(.list(change), .holds, notes: [.listIsThere(same.uri)])
    }
    if let other = known.first { return refuse(change, .nameTaken(draft.name, by: other.uri)) }
    do throws(ValidationError) { try draft.validate() } catch { return refuse(change, .invalid(error)) }
    guard let rkey = change.list.recordKey,
      let value = try? DataValue(encoding: draft.record(createdAt: now))
    else {
      return refuse(change, .notAList(change.list))
    }
    let write = RecordWrite(collection: .list, rkey: rkey, action: .create(value))
    return PlannedChange(.list(change), commits(.listName(draft.name), [write]))
  }

  private func edit(
    _ change: ListChange, _ edit: ListEdit, _ list: OwnList?, _ namesakes: [OwnList]
  ) -> PlannedChange {
    guard let list, let rkey = list.uri.recordKey else { return refuse(change, .noSuchList(change.list)) }
    guard let former = list.value, var fields = former.object else {
      return unknown(.list(change), "the record of the list")
    }
    if let name = edit.name, name != list.name, let other = namesakes.first(where: { $0.name == name }) {
      return refuse(change, .nameTaken(name, by: other.uri))
    }
    if let name = edit.name { fields["name"] = .string(name) }
    var notes: [ChangeNote] = []
    if let description = edit.description, description != list.description ?? "" {
      fields["description"] = description.isEmpty ? nil : .string(description)
      // Facets refer to byte offsets in the old text.
      if fields.removeValue(forKey: "descriptionFacets") != nil { notes.append(.linksEnd) }
    }
    let value = DataValue.object(fields)
    if value == former { return PlannedChange(.list(change), .holds) }
    do throws(ValidationError) { try edit.validate() } catch { return refuse(change, .invalid(error)) }
    let write = RecordWrite(collection: .list, rkey: rkey, action: .update(value, former: former))
    return PlannedChange(.list(change), commits(.list(change.list), [write]), notes: notes)
  }

  /// The list record is deleted last, and the block of the list just before it. If the run is interrupted,
  /// the list still exists under its name, and deleting it again continues from there. In the opposite order,
  /// the remaining records could not be found.
  private func delete(_ change: ListChange, _ list: OwnList?, _ known: SubjectFacts) -> PlannedChange {
    guard let items = known.list?.items else { return unknown(.list(change), "the list's members") }
    guard let blocks = known.edges[.listblock] else {
      return unknown(.list(change), "your list block records")
    }
    let record = list.flatMap { list in
      list.uri.recordKey.map { OwnRecord(rkey: $0, value: list.value) }
    }
    let writes =
      items.map { delete($0, .listitem) } + blocks.map { delete($0, .listblock) }
      + (record.map { [delete($0, .list)] } ?? [])
    guard !writes.isEmpty else { return PlannedChange(.list(change), .holds) }
    var notes: [ChangeNote] = []
    if items.count + blocks.count > 0 {
      notes.append(.alsoRemoved(items: items.count, isBlocked: !blocks.isEmpty))
    }
    if list?.purpose == .refer { notes.append(.isReferredTo) }
    return PlannedChange(.list(change), commits(.list(change.list), writes), notes: notes)
  }

  // MARK: Members

  func plan(
    _ member: DID, on uri: ATURI, _ wanted: EdgeChange, knowing known: SubjectFacts
  ) -> PlannedChange {
    let intent = ChangeIntent.edge(.member(member, of: uri), wanted)
    func refuse(_ refusal: ChangeRefusal) -> PlannedChange { PlannedChange(intent, .refused(refusal)) }
    guard uri.authority == .did(account) else { return refuse(.notYourList(uri)) }
    guard let lists = known.list?.lists else { return unknown(intent, "your lists") }
    let list = lists.first { $0.uri == uri }
    if wanted.makesRecord, list == nil { return refuse(.noSuchList(uri)) }
    guard let items = known.list?.items else { return unknown(intent, "the list's members") }
    guard let list, wanted.makesRecord else {
      if items.isEmpty { return list == nil ? refuse(.noSuchList(uri)) : PlannedChange(intent, .holds) }
      return PlannedChange(
        intent, commits(.account(member), items.map { delete($0, .listitem) }), notes: duplicates(items))
    }
    guard let purpose = list.purpose else { return unknown(intent, "the purpose of the list") }
    guard items.isEmpty else { return PlannedChange(intent, .holds) }
    var notes: [ChangeNote] = []
    if purpose == .moderate {
      if member == account { return refuse(.oneself) }
      if let relationship = known.relationship, relationship.isFollowing {
        guard wanted == .makeAlthoughFollowed else { return refuse(.followed(relationship)) }
        notes.append(.isFollowed(relationship))
      } else if known.relationship == nil, wanted != .makeAlthoughFollowed {
        return unknown(intent, "your relationship with the account")
      }
    }
    return PlannedChange(
      intent, commits(.account(member), [create(.member(member, of: list.uri))]), notes: notes)
  }

  private func refuse(_ change: ListChange, _ refusal: ChangeRefusal) -> PlannedChange {
    PlannedChange(.list(change), .refused(refusal))
  }
}
