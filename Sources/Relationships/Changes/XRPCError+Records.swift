// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// What servers say about single records, in names and, where they have none (table of PDSes), in words.
extension XRPCError {
  /// Whether the PDS itself says that it has no such record.
  ///
  /// A page of a proxy says nothing about a record, nor does a PDS that does not know the repository (Q18).
  var saysNoSuchRecord: Bool {
    guard code == .refused, status == 400 || status == 404 else { return false }
    if name?.rawValue == "RecordNotFound" { return true }
    guard name == nil || name?.rawValue == "InvalidRequest" else { return false }
    return plainWords { words in
      words.contains("record")
        && ["no such", "not found", "locate", "not find", "n't find", "not exist", "n't exist"]
          .contains { words.contains($0) }
    }
  }

  /// Whether a refused commit was refused for a record that is there already, or is not.
  func namesRecords(of writes: [RecordWrite]) -> Bool {
    guard code == .refused, status == 400 || status == 404 || status == 409 else { return false }
    if saysNoSuchRecord || status == 409 { return true }
    return plainWords { words in
      (words.contains("exist") || words.contains("already"))
        && (words.contains("record") || words.contains("key")
          || writes.contains { words.contains($0.rkey.description.lowercased()) })
    }
  }

  /// Whether a failed commit may have failed for single records of it.
  ///
  /// The reference PDS answers 500, without a word, to a key that is in use and to the removal of a record that
  /// is not there.
  func mayConcernRecords(of writes: [RecordWrite]) -> Bool {
    namesRecords(of: writes) || code == .unavailable && status == 500 && wasSent
  }

  /// Plain words only: a page for browsers is not the server's own.
  private func plainWords(_ say: (String) -> Bool) -> Bool {
    let words = message.lowercased()
    return !words.hasPrefix("<") && say(words)
  }
}
