// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
public import ATProtoLexicons

/// A record that points from its repository's account to an account or a list.
public protocol EdgeRecord: LexiconRecord {
  /// What names the other end: a DID, or the AT-URI of a list.
  associatedtype Subject: SyntaxIdentifier
  /// The other end.
  var subject: Subject { get }
}

extension App.Bsky.Graph.Follow: EdgeRecord {}
extension App.Bsky.Graph.Block: EdgeRecord {}
extension App.Bsky.Graph.Listblock: EdgeRecord {}
extension App.Bsky.Graph.Listitem: EdgeRecord {}
