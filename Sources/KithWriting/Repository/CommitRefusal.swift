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

extension RepositoryError {
  /// What stands before the parts of records that name files which the server does not accept.
  private static let filesNotAccepted = "the server does not accept the file of "
  /// What stands before a refusal because of a file that is not among those of the record.
  private static let otherFileNotAccepted = "the server does not accept a file that the record does not name"

  /// Creates the error of a refused commit. A file that the server does not have, as after a migration, or that is named in
  /// the form of old records, is said with the part of the record that names it.
  init(refusing writes: [RecordWrite], _ refusal: XRPCError) {
    let error = RepositoryError(changing: refusal, by: refusal.method)
    guard refusal.refusesFiles else {
      self = error
      return
    }
    let parts = refusal.partsWithFiles(of: writes)
    let words =
      parts.isEmpty
      ? Self.otherFileNotAccepted : "\(Self.filesNotAccepted)\(parts.joined(separator: " or "))"
    self.init(
      error.code, detail: "\(words): \(error.detail)", retryAfter: error.retryAfter, underlying: refusal)
  }

  /// Whether the reason of a refusal is that the server does not accept a file: all files of the record have to be
  /// replaced in the same change.
  package static func refusesFiles(_ reason: String) -> Bool {
    [filesNotAccepted, otherFileNotAccepted].contains(where: reason.hasPrefix)
  }
}

extension XRPCError {
  fileprivate var refusesFiles: Bool {
    guard code == .refused, status == 400 || status == 404 else { return false }
    let words = message.lowercased()
    return name?.rawValue == "BlobNotFound" || words.contains("legacy blob") || words.contains("find blob")
  }

  /// The fields of the records that name the file which the message names; all that name files if it names none.
  fileprivate func partsWithFiles(of writes: [RecordWrite]) -> [String] {
    var (named, all): ([String], [String]) = ([], [])
    for write in writes {
      for (field, value) in write.newValue?.object ?? [:] {
        let files = value.files
        if files.isEmpty { continue }
        all.append(field)
        if files.contains(where: { message.contains("\($0.ref)") }) { named.append(field) }
      }
    }
    return Set(namesFile ? named : all).sorted()
  }

  private var namesFile: Bool {
    message.split { !$0.isLetter && !$0.isNumber }.contains { (try? CID(parsing: $0)) != nil }
  }

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
