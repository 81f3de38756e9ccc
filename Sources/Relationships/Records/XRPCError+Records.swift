// SPDX-License-Identifier: Apache-2.0

package import ATProtoClient
internal import ATProtoCore

/// What servers say about single records, in names and, where they have none (table of PDSes), in words.
extension XRPCError {
  /// Whether the PDS itself says that it has no such record.
  ///
  /// A page of a proxy says nothing about a record, nor does a PDS that does not know the repository (Q18).
  package var saysNoSuchRecord: Bool {
    guard code == .refused, status == 400 || status == 404 else { return false }
    if name?.rawValue == "RecordNotFound" { return true }
    guard name == nil || name?.rawValue == "InvalidRequest" else { return false }
    return plainWords { words in
      words.contains("record")
        && ["no such", "not found", "locate", "not find", "n't find", "not exist", "n't exist"]
          .contains { words.contains($0) }
    }
  }

  /// Plain words only: a page for browsers is not the server's own.
  package func plainWords(_ say: (String) -> Bool) -> Bool {
    let words = message.lowercased()
    return !words.hasPrefix("<") && say(words)
  }
}
