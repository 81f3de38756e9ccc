// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithRelationships
package import KithWriting

/// Numbered steps for tests: each number always has the same record and account.
package enum ChangeSamples {
  /// The collection of follows.
  package static let follows = NSID("app.bsky.graph.follow") ?? neverNSID
  /// The collection of blocks.
  package static let blocks = NSID("app.bsky.graph.block") ?? neverNSID

  private static var neverNSID: NSID { preconditionFailure("invariant: the collections are valid") }

  /// Returns the record key of that number.
  package static func rkey(_ number: Int) -> RecordKey {
    RecordKey(tid: TID(at: 1_700_000_000_000_000 + Int64(number), clockID: 1))
  }

  /// Returns a record about the account of that number.
  package static func record(_ number: Int, in collection: NSID = follows) -> DataValue {
    [
      "$type": .string(collection.description), "subject": .string(Accounts.did(number).description),
      "createdAt": "2026-01-01T00:00:00.000Z",
    ]
  }

  /// Creates the record of that number.
  package static func create(_ number: Int, in collection: NSID = follows) -> RecordWrite {
    RecordWrite(
      collection: collection, rkey: rkey(number), action: .create(record(number, in: collection)))
  }

  /// Deletes the record of that number.
  package static func delete(_ number: Int, in collection: NSID = follows) -> RecordWrite {
    RecordWrite(
      collection: collection, rkey: rkey(number), action: .delete(former: record(number, in: collection)))
  }

  /// Follows the account of that number.
  package static func follow(_ number: Int) -> ChangeStep {
    ChangeStep(subject: .account(Accounts.did(number)), action: .write([create(number)]))
  }

  /// Blocks the account of that number and unfollows it.
  package static func block(_ number: Int) -> ChangeStep {
    ChangeStep(
      subject: .account(Accounts.did(number)), action: .write([create(number, in: blocks), delete(number)]))
  }

  /// Mutes the account of that number, which was not muted.
  package static func mute(_ number: Int) -> ChangeStep {
    let did = Accounts.did(number)
    return ChangeStep(subject: .account(did), action: .call(.mute(did, .everything), former: .unmute(did)))
  }

  /// Returns items with these steps, each named by its number.
  package static func drafts(_ numbers: Range<Int>, _ step: (Int) -> ChangeStep = follow) -> [JobItemDraft] {
    numbers.map { JobItemDraft(input: "user\($0)", step: step($0)) }
  }

  /// Returns pending items with these steps, from the first position on.
  package static func items(_ numbers: Range<Int>, _ step: (Int) -> ChangeStep = follow) -> [JobItem] {
    numbers.map { JobItem(position: $0 - numbers.lowerBound, input: "user\($0)", step: step($0)) }
  }
}
