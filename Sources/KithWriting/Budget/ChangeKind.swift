// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithRelationships

/// What changes have in common that count together against a limit of changes: follows, unfollows, likes, mutes.
package struct ChangeKind: Sendable, Hashable {
  /// Such as `create app.bsky.graph.follow`, or `mute`.
  package let name: String

  /// Creates a kind by its name.
  package init(name: String) { self.name = name }

  /// Making records of a collection.
  package static func create(_ collection: NSID) -> ChangeKind { ChangeKind(name: "create \(collection)") }

  /// Deleting records of a collection.
  package static func delete(_ collection: NSID) -> ChangeKind { ChangeKind(name: "delete \(collection)") }
}

extension ChangeStep {
  /// The kind of the first record that it makes, or else of its first write: a block that also ends a follow is a block.
  /// Nil for what only the journal stores.
  package var kind: ChangeKind? {
    switch action {
    case .write(let writes): (writes.first(where: \.makesRecord) ?? writes.first)?.kind
    case .call(.mute, _): ChangeKind(name: "mute")
    case .call(.unmute, _): ChangeKind(name: "unmute")
    case .call(.muteList, _): ChangeKind(name: "muteList")
    case .call(.unmuteList, _): ChangeKind(name: "unmuteList")
    case .end, .decline: nil
    }
  }
}

extension RecordWrite {
  fileprivate var kind: ChangeKind {
    switch action {
    case .create: .create(collection)
    case .update: ChangeKind(name: "update \(collection)")
    case .delete: .delete(collection)
    }
  }
}
