// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// Generated posts can be read from the PDS like all other records. They are not part of the writable
/// repository: they cannot be deleted, and commits do not include them.
extension PDS {
  /// Returns the records of a collection, including the posts up to now.
  func table(_ collection: NSID, of repository: SandboxRepository, now: Instant) -> RecordTable {
    let written = repository.table(collection)
    guard collection == App.Bsky.Feed.Post.nsid else { return written }
    let timeline = live.posts
    var table = RecordTable(
      timeline.posts(of: repository.account, until: now).map { post in
        RecordTable.Entry(key: post.key, record: .post(post, timeline))
      })
    for entry in written.entries { table[entry.key] = entry.record }
    return table
  }

  func record(_ name: SandboxRecordName, of repository: SandboxRepository, now: Instant) -> WrittenRecord? {
    if let record = repository.record(name) { return record }
    guard name.collection == App.Bsky.Feed.Post.nsid else { return nil }
    return live.posts.post(of: repository.account, key: name.key, until: now).map {
      network.content(of: .post($0, live.posts))
    }
  }

  /// Returns the collections that have records now.
  func collections(of repository: SandboxRepository, now: Instant) -> [NSID] {
    let posts = App.Bsky.Feed.Post.nsid
    let collections = repository.collections
    guard !collections.contains(posts), live.posts.countPosts(of: repository.account, until: now) > 0 else {
      return collections
    }
    return (collections + [posts]).sorted { $0.description < $1.description }
  }
}
