// SPDX-License-Identifier: Apache-2.0

import KithCore

/// Feeds bytes to every parser of identifiers: an accepted text prints as a text that is accepted again and means the same.
///
/// - Returns: The types that accept the bytes, each with a 1.
/// - Throws: ``BrokenInvariant``.
package func fuzzIdentifiers(_ bytes: [UInt8]) throws -> [String: Int] {
  let text = String(decoding: bytes, as: UTF8.self)
  var accepted: [String: Int] = [:]
  func check<Identifier: SyntaxIdentifier>(
    _ type: Identifier.Type, _ more: (Identifier) throws -> Void = { _ in }
  ) throws {
    guard let value = try identifier(type, text) else { return }
    try more(value)
    accepted["\(type)"] = 1
  }

  try check(DID.self)
  try check(Handle.self)
  try check(ATIdentifier.self)
  try check(NSID.self) { nsid in
    try require("\(nsid.authority).\(nsid.name)" == nsid.description, "other parts of \(nsid)")
  }
  try check(RecordKey.self) { key in
    if let tid = key.tid { try require(RecordKey(tid: tid) == key, "another key of the TID \(tid)") }
  }
  try check(TID.self) { tid in
    // Beyond the 53 bits of the specification a time is read, and not written.
    let isWritable = tid.instant.microsecondsSinceEpoch < 1 << 53
    try require(
      !isWritable || TID(at: tid.instant, clockID: tid.clockID) == tid, "another time or clock of \(tid)")
  }
  try check(Datetime.self) { datetime in
    let same = Datetime(at: datetime.instant)
    try require(Datetime(same.description) == same, "\(same) is read as another time")
  }
  try check(URI.self) { try require(!$0.scheme.isEmpty, "no scheme: \($0)") }
  try check(LanguageTag.self)
  try check(CID.self) { cid in
    if let bytes = cid.bytes { try require((try? CID(bytes: bytes)) == cid, "other bytes of \(cid)") }
  }
  try check(ATURI.self) { uri in
    let parts = [uri.authority.description, uri.collection?.description, uri.recordKey?.description]
    // A handle is in lower case as soon as it is one.
    let joined = "at://" + parts.compactMap(\.self).joined(separator: "/")
    try require(joined.lowercased() == uri.description.lowercased(), "other parts of \(uri)")
  }
  return accepted
}

private func identifier<Identifier: SyntaxIdentifier>(
  _ type: Identifier.Type, _ text: String
) throws -> Identifier? {
  let json = try? JSONCoding.encode([text])
  let decoded = json.flatMap { try? JSONCoding.decode([Identifier].self, from: $0) }
  guard let value = Identifier(text) else {
    try require(decoded == nil, "JSON takes what is not a \(type): \(text)")
    return nil
  }
  try require(decoded == [value], "JSON reads another \(type): \(text)")
  try require(Identifier(value.description) == value, "printed as another \(type): \(text)")
  return value
}
