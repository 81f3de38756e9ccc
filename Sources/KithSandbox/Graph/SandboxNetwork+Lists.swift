// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension SandboxNetwork {
  /// The initial state of a list.
  func liveList(at index: Int) -> LiveList? {
    LiveList(creation(ofList: index, App.Bsky.Graph.List.nsid, .list(index)), uri: uri(ofList: index))
  }

  /// The initial starter packs.
  var starterPacks: [LivePack] {
    listsOfPacks.compactMap { list in
      let change = creation(ofList: list, App.Bsky.Graph.Starterpack.nsid, .starterPack(list))
      return LivePack(
        change,
        uri: ATURI(
          authority: .did(dids[lists[list].owner]), collection: change.collection, recordKey: change.key))
    }
  }
}
