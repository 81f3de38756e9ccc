// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// A commit of a repository, by which its server names a state of all its records.
///
/// It is only compared for equality: a revision need not come from a clock (table of PDSes).
package struct RepositoryCommit: Sendable, Hashable {
  /// The hash of the commit.
  package let cid: CID
  /// The revision.
  package let revision: String

  /// Creates a commit.
  package init(cid: CID, revision: String) {
    self.cid = cid
    self.revision = revision
  }
}

/// An answer of `com.atproto.sync.getLatestCommit`, whatever the form of the revision.
struct LatestCommit: Decodable, Sendable {
  let cid: CID
  let rev: String
}
