// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithLexicons

/// Decodes bytes as answers of servers: what Kith accepts, Foundation's `JSONDecoder` accepts too and reads the same, unless it
/// has half a surrogate pair; and what is written of it is read as the same.
///
/// - Returns: The types that accept the bytes, each with a 1.
/// - Throws: ``BrokenInvariant``.
package func fuzzJSON(_ json: [UInt8]) throws -> [String: Int] {
  var accepted: [String: Int] = [:]
  func check<Value: Codable & Equatable>(_ type: Value.Type, _ name: String) throws {
    if try isAccepted(type, json) { accepted[name] = 1 }
  }

  try check(DataValue.self, "DataValue")
  try check(App.Bsky.Graph.GetRelationships.Output.self, "getRelationships")
  try check(App.Bsky.Graph.GetFollowers.Output.self, "getFollowers")
  try check(App.Bsky.Actor.GetProfiles.Output.self, "getProfiles")
  try check(App.Bsky.Graph.Follow.self, "follow")
  if (try? JSONCoding.decode(Rows.self, from: json)) != nil { accepted["rows"] = 1 }
  return accepted
}

/// Continues after a row that cannot be decoded.
private struct Rows: Decodable {
  struct Row: Decodable {
    init(from decoder: any Decoder) throws {
      _ = try? App.Bsky.Graph.GetRelationships.Output.RelationshipsElement(from: decoder)
    }
  }

  let actor: DID?
  let relationships: [Row]
}

private func isAccepted<Value: Codable & Equatable>(_ type: Value.Type, _ json: [UInt8]) throws -> Bool {
  guard let value = try? JSONCoding.decode(type, from: json) else { return false }
  let theirs = try? JSONDecoder().decode(type, from: Data(json))
  // A number with decimals is a `Double` to Foundation, and large ones are rounded.
  let isExcused = hasDecimals(json) || theirs == nil && hasHalf(json)
  try require(theirs == value || isExcused, "JSONDecoder reads another \(type)")
  if let written = try? JSONCoding.encode(value) {
    try require((try? JSONCoding.decode(type, from: written)) == value, "written as another \(type)")
  }
  return true
}

private func hasDecimals(_ json: [UInt8]) -> Bool {
  zip(json, json.dropFirst()).contains { $0 == UInt8(ascii: ".") && $1 == UInt8(ascii: "0") }
}

/// Whether a surrogate may stand in the document, escaped or in three bytes.
private func hasHalf(_ json: [UInt8]) -> Bool {
  String(decoding: json, as: UTF8.self).lowercased().contains(#"\ud"#)
    || zip(json, json.dropFirst()).contains { $0 == 0xED && $1 >= 0xA0 }
}
