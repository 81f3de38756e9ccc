// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import Relationships

extension RepositoryError {
  /// Another record is under the key of one that was to be made.
  init(takenBy write: RecordWrite, underlying: (any Error)? = nil) {
    self.init(
      .taken,
      detail: "another record is under the key \(write.collection)/\(write.rkey); a new key would be free",
      underlying: underlying)
  }
}

extension RepositoryError {
  /// How many writes the server takes in one commit, where it says so as the reference PDS does: `Max: 200`.
  var mostWrites: Int? {
    guard code == .tooLarge, let words = (underlying as? XRPCError)?.message.lowercased(),
      let label = words.firstRange(of: "max: ")
    else { return nil }
    return Int(words[label.upperBound...].prefix { $0.isASCII && $0.isNumber }.prefix(6))
  }
}

extension XRPCError {
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
}
