// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

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
  /// Another app has made a commit since the repository was read.
  init(outdatedBy refusal: XRPCError) {
    self.init(
      .outdated, detail: "the repository has changed since it was read: \(refusal.message)",
      underlying: refusal)
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
  /// Whether a commit was refused because another one is the latest.
  var saysInvalidSwap: Bool { code == .refused && name?.rawValue == "InvalidSwap" }

  /// Whether the server does not support to make a commit only after a given one (table of PDSes).
  var refusesToCompare: Bool {
    guard code == .refused || status == 501, [400, 404, 501].contains(status), !saysInvalidSwap else {
      return false
    }
    return plainWords { $0.contains("swap") && ($0.contains("support") || $0.contains("implement")) }
  }

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
