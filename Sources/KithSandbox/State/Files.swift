// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithCrypto

/// The files that accounts have uploaded, and the records that name them.
///
/// A file that no record names is deleted after an hour, and cannot be downloaded. It is deleted with the last record that
/// names it, too.
struct Files: Sendable {
  /// A file of an account.
  struct File: Sendable {
    let mimeType: String
    let bytes: [UInt8]
    let uploadedAt: Instant
  }

  /// How many files an account may upload in a day.
  static let mostPerDay = 1_000
  private static let lifetime = Duration.seconds(3_600)
  /// What all files of a sandbox may take.
  private static let mostBytes = 256 << 20

  private struct Owner {
    var files: [CID: File] = [:]
    var named: [SandboxRecordName: Set<CID>] = [:]
    var uploads: [Instant] = []

    func isNamed(_ cid: CID) -> Bool { named.values.contains { $0.contains(cid) } }
  }

  private var owners: [Int: Owner] = [:]
  /// The account whose next file is lost before a record names it; nil for none.
  var losesUnnamed: Int?

  /// Keeps a file. The type is that of its first bytes, whatever was declared.
  ///
  /// - Throws: ``XRPCFault`` if the account has uploaded too many today, or if the sandbox is full.
  mutating func add(
    _ bytes: [UInt8], declared type: String, by account: Int, at now: Instant
  ) throws(XRPCFault) -> Blob {
    var owner = owners[account] ?? Owner()
    owner.uploads.removeAll { $0 <= now - .days(1) }
    guard owner.uploads.count < Self.mostPerDay else { throw .rateLimited }
    owner.files = owner.files.filter { owner.isNamed($0.key) || $0.value.uploadedAt > now - Self.lifetime }
    let all = owners.filter { $0.key != account }.values.flatMap(\.files.values) + owner.files.values
    guard all.reduce(bytes.count, { $0 + $1.bytes.count }) <= Self.mostBytes,
      let cid = CID(ofFile: bytes)
    else { throw XRPCFault(status: 507, name: "SandboxFull", message: "the sandbox is full") }
    let file = File(mimeType: Self.mimeType(of: bytes) ?? type, bytes: bytes, uploadedAt: now)
    if losesUnnamed == account { losesUnnamed = nil } else { owner.files[cid] = file }
    owner.uploads.append(now)
    owners[account] = owner
    return Blob(ref: cid, mimeType: file.mimeType, size: bytes.count)
  }

  /// Checks that the files that a record names are there, with this type and size.
  ///
  /// - Throws: ``XRPCFault`` `BlobNotFound`, `InvalidMimeType`, `InvalidSize`.
  func check(_ record: DataValue, of account: Int, at now: Instant) throws(XRPCFault) {
    for (cid, blob) in Self.blobs(in: record) {
      guard let file = owners[account]?.files[cid],
        file.uploadedAt > now - Self.lifetime || owners[account]?.isNamed(cid) == true
      else { throw .invalidBlob("BlobNotFound", "Could not find blob: \(cid)") }
      guard blob["mimeType"]?.string == file.mimeType else {
        throw .invalidBlob("InvalidMimeType", "Referenced MimeType does not match stored blob")
      }
      guard blob["size"]?.integer == Int64(file.bytes.count) else {
        throw .invalidBlob("InvalidSize", "Referenced size does not match stored blob")
      }
    }
  }

  /// Records which files a record names now; nil if it is gone.
  mutating func settle(_ record: DataValue?, _ name: SandboxRecordName, of account: Int) {
    guard var owner = owners[account] else { return }
    let former = owner.named[name] ?? []
    let now = Set(record.map { Self.blobs(in: $0).map(\.cid) } ?? [])
    owner.named[name] = now.isEmpty ? nil : now
    for cid in former where !owner.isNamed(cid) { owner.files[cid] = nil }
    owners[account] = owner
  }

  /// A file that a record names.
  func file(_ cid: CID, of account: Int) -> File? {
    owners[account].flatMap { $0.isNamed(cid) ? $0.files[cid] : nil }
  }

  private static func blobs(in value: DataValue) -> [(cid: CID, blob: DataValue)] {
    switch value {
    case .object(let fields):
      if value.type == "blob", let cid = value["ref"]?.link { return [(cid, value)] }
      return fields.values.flatMap(blobs)
    case .array(let elements): return elements.flatMap(blobs)
    case .null, .bool, .integer, .string, .bytes, .link: return []
    }
  }

  /// The type of a picture by its first bytes; nil for another file.
  private static func mimeType(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: "GIF8".utf8) { return "image/gif" }
    if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
    return nil
  }
}

extension XRPCFault {
  fileprivate static func invalidBlob(_ name: String, _ message: String) -> XRPCFault {
    XRPCFault(status: 400, name: name, message: message)
  }

  fileprivate static let rateLimited = XRPCFault(
    status: 429, name: "RateLimitExceeded", message: "Rate Limit Exceeded")
}
