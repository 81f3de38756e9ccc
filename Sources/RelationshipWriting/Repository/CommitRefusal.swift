// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import Relationships

extension RepositoryError {
  /// The key of a record to be created is taken by another record.
  init(takenBy write: RecordWrite, underlying: (any Error)? = nil) {
    self.init(
      .taken,
      detail: "the key \(write.collection)/\(write.rkey) is taken by another record; use a new key",
      underlying: underlying)
  }
}

extension RepositoryError {
  /// The most writes that the server accepts in one commit, if it says so as the reference PDS does: `Max:
  /// 200`.
  var mostWrites: Int? {
    guard code == .tooLarge, let words = (underlying as? XRPCError)?.message.lowercased(),
      let label = words.firstRange(of: "max: ")
    else { return nil }
    return Int(words[label.upperBound...].prefix { $0.isASCII && $0.isNumber }.prefix(6))
  }
}

extension XRPCError {
  /// Whether a commit was refused because a record exists already, or does not exist.
  func namesRecords(of writes: [RecordWrite]) -> Bool {
    guard code == .refused, status == 400 || status == 404 || status == 409 else { return false }
    if saysNoSuchRecord || status == 409 { return true }
    return plainWords { words in
      (words.contains("exist") || words.contains("already"))
        && (words.contains("record") || words.contains("key")
          || writes.contains { words.contains($0.rkey.description.lowercased()) })
    }
  }

  /// Whether single records may have caused a commit to fail.
  ///
  /// The reference PDS answers 500, without an explanation, if a key is in use or if a record to be deleted
  /// does not exist.
  func mayConcernRecords(of writes: [RecordWrite]) -> Bool {
    namesRecords(of: writes) || code == .unavailable && status == 500 && wasSent
  }
}
