// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithLexicons

/// What happens without a client. Unknown accounts are ignored.
extension Sandbox {
  /// The Jetstream of the network.
  package var stream: EventStream { live.stream }

  package func follow(from actor: DID, to subject: DID) {
    live.link(App.Bsky.Graph.Follow.nsid, from: actor, to: subject)
  }

  /// Deletes all follow records of a subject.
  package func unfollow(from actor: DID, to subject: DID) {
    live.unlink(App.Bsky.Graph.Follow.nsid, from: actor, to: subject)
  }

  package func block(from actor: DID, to subject: DID) {
    live.link(App.Bsky.Graph.Block.nsid, from: actor, to: subject)
  }

  /// Deletes all block records of a subject.
  package func unblock(from actor: DID, to subject: DID) {
    live.unlink(App.Bsky.Graph.Block.nsid, from: actor, to: subject)
  }

  /// Changes the status of an account; a deleted one loses its follows and blocks.
  package func set(_ status: SandboxAccount.Status, of account: DID) { live.set(status, of: account) }

  package func rename(_ account: DID, to handle: Handle) { live.rename(account, to: handle) }

  /// Tells subscribers that a repository continues at another revision, without changing it.
  ///
  /// - Parameter withRecords: whether its records follow in the stream.
  package func sync(_ account: DID, withRecords: Bool) { live.sync(account, withRecords: withRecords) }
}
