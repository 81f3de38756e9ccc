// SPDX-License-Identifier: Apache-2.0

internal import KithCore
public import KithRelationships

extension ChangePlanner {
  func plan(_ change: PostChange, knowing known: SubjectFacts) -> PlannedChange {
    switch change {
    case .delete(let post): delete(post, change, known)
    case .react(let reaction, let post, let former): react(reaction, post, former, change, known)
    case .takeBack(let reaction, _, let former): takeBack(reaction, former, change, known)
    }
  }

  private func delete(_ post: ATURI, _ change: PostChange, _ known: SubjectFacts) -> PlannedChange {
    let intent = ChangeIntent.posts(change)
    guard post.collection == .post, let rkey = post.recordKey else {
      return PlannedChange(intent, .refused(.notAPost(post)))
    }
    guard post.authority == .did(account) else { return PlannedChange(intent, .refused(.notYourPost(post))) }
    var writes: [RecordWrite] = []
    for collection in [NSID.post, .threadgate, .postgate] {
      guard let found = known.named[RecordName(rkey, in: collection)] else {
        return unknown(intent, "your post")
      }
      if let value = found {
        writes.append(RecordWrite(collection: collection, rkey: rkey, action: .delete(former: value)))
      }
    }
    return PlannedChange(intent, writes.isEmpty ? .holds : commits(change.subject, writes))
  }

  private func react(
    _ reaction: Reaction, _ post: RecordVersion, _ former: ReactionRecord, _ change: PostChange,
    _ known: SubjectFacts
  ) -> PlannedChange {
    let intent = ChangeIntent.posts(change)
    if known.edges[reaction.kind]?.isEmpty == false { return PlannedChange(intent, .holds) }
    switch former {
    case .unknown: return unknown(intent, "whether you have done that already")
    case .record(let record) where !isGone(record, reaction, known): return unknown(intent, "your record")
    case .record, .none:
      let value: DataValue = [
        "$type": .string(reaction.collection.description),
        "subject": post.value,
        "createdAt": .string(now.description),
      ]
      let write = RecordWrite(
        collection: reaction.collection, rkey: RecordKey(tid: keys.next()), action: .create(value))
      return PlannedChange(intent, commits(change.subject, [write]))
    }
  }

  private func takeBack(
    _ reaction: Reaction, _ former: ReactionRecord, _ change: PostChange, _ known: SubjectFacts
  ) -> PlannedChange {
    let intent = ChangeIntent.posts(change)
    if let records = known.edges[reaction.kind], !records.isEmpty {
      let writes = records.map { delete($0, reaction.collection) }
      return PlannedChange(intent, commits(change.subject, writes), notes: duplicates(records))
    }
    switch former {
    case .unknown: return unknown(intent, "whether you have done that")
    case .record(let record) where !isGone(record, reaction, known): return unknown(intent, "your record")
    case .record, .none: return PlannedChange(intent, .holds)
    }
  }

  /// Whether the record that the AppView names is an own one and certainly gone (Q21). One that is there, but not for
  /// this post, tells nothing about the post.
  private func isGone(_ record: ATURI, _ reaction: Reaction, _ known: SubjectFacts) -> Bool {
    guard record.authority == .did(account), record.collection == reaction.collection,
      let rkey = record.recordKey, let found = known.named[RecordName(rkey, in: reaction.collection)]
    else { return false }
    return found == nil
  }
}

extension ChangeRefusal.Code {
  /// It is not a post.
  public static let notAPost = Self(rawValue: "notAPost")
  /// The post belongs to another account.
  public static let notYourPost = Self(rawValue: "notYourPost")
}

extension ChangeRefusal {
  static func notAPost(_ record: ATURI) -> ChangeRefusal {
    ChangeRefusal(.notAPost, "\(record) is not a post; posts look like at://DID/\(NSID.post)/KEY")
  }

  static func notYourPost(_ post: ATURI) -> ChangeRefusal {
    ChangeRefusal(.notYourPost, "\(post) is not yours; only \(post.authority) can delete it")
  }
}
