// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import Glibc
import KithCore

/// Every parser of identifiers: what is taken prints as a text that is taken again and means the same.
@main enum FuzzIdentifiers {
  static func main() {
    exit(
      Fuzzing.run { start, count in
        FuzzIdentifiers.check(String(decoding: Fuzzing.bytes(start, count), as: UTF8.self))
        return 0
      })
  }

  private static func check(_ text: String) {
    check(DID.self, text)
    check(Handle.self, text)
    check(ATIdentifier.self, text)
    check(NSID.self, text) { precondition("\($0.authority).\($0.name)" == $0.description) }
    check(RecordKey.self, text) { key in
      if let tid = key.tid { precondition(RecordKey(tid: tid) == key) }
    }
    check(TID.self, text) { tid in
      // Beyond the 53 bits of the specification a time is read, and not written.
      let isWritable = tid.instant.microsecondsSinceEpoch < 1 << 53
      precondition(!isWritable || TID(at: tid.instant, clockID: tid.clockID) == tid)
    }
    check(Datetime.self, text) { datetime in
      let same = Datetime(at: datetime.instant)
      precondition(Datetime(same.description) == same)
    }
    check(URI.self, text) { precondition(!$0.scheme.isEmpty) }
    check(LanguageTag.self, text)
    check(CID.self, text) { cid in
      if let bytes = cid.bytes { precondition((try? CID(bytes: bytes)) == cid) }
    }
    check(ATURI.self, text) { uri in
      let parts = [uri.authority.description, uri.collection?.description, uri.recordKey?.description]
      // A handle is in lower case as soon as it is one.
      let text = "at://" + parts.compactMap(\.self).joined(separator: "/")
      precondition(text.lowercased() == uri.description.lowercased())
    }
  }

  private static func check<Identifier: SyntaxIdentifier>(
    _ type: Identifier.Type, _ text: String, _ more: (Identifier) -> Void = { _ in }
  ) {
    let json = try? JSONCoding.encode([text])
    let decoded = json.flatMap { try? JSONCoding.decode([Identifier].self, from: $0) }
    guard let value = Identifier(text) else {
      precondition(decoded == nil, "JSON takes what is no \(type): \(text)")
      return
    }
    precondition(decoded == [value], "JSON reads another \(type): \(text)")
    precondition(Identifier(value.description) == value, "printed as another \(type): \(text)")
    more(value)
  }
}
