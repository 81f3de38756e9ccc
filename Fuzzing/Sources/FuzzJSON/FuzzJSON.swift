// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzDriver
import KithCore
import KithLexicons

/// Answers of servers: what is taken, Foundation's `JSONDecoder` takes too and reads the same, and what is
/// written of it is read as the same.
@main enum FuzzJSON {
  static func main() {
    exit(
      Fuzzing.run { start, count in
        let json = Fuzzing.bytes(start, count)
        FuzzJSON.check(DataValue.self, json)
        FuzzJSON.check(App.Bsky.Graph.GetRelationships.Output.self, json)
        FuzzJSON.check(App.Bsky.Graph.GetFollowers.Output.self, json)
        FuzzJSON.check(App.Bsky.Actor.GetProfiles.Output.self, json)
        FuzzJSON.check(App.Bsky.Graph.Follow.self, json)
        _ = try? JSONCoding.decode(Rows.self, from: json)
        return 0
      })
  }

  /// Reads on after a row at fault.
  private struct Rows: Decodable {
    struct Row: Decodable {
      init(from decoder: any Decoder) throws {
        _ = try? App.Bsky.Graph.GetRelationships.Output.RelationshipsElement(from: decoder)
      }
    }

    let actor: DID?
    let relationships: [Row]
  }

  private static func check<Value: Codable & Equatable>(_ type: Value.Type, _ json: [UInt8]) {
    guard let value = try? JSONCoding.decode(type, from: json) else { return }
    let theirs = try? JSONDecoder().decode(type, from: Data(json))
    // A number with decimals is a `Double` to Foundation, and large ones are rounded.
    precondition(theirs == value || hasDecimals(json), "JSONDecoder reads another \(type)")
    guard let written = try? JSONCoding.encode(value) else { return }
    precondition((try? JSONCoding.decode(type, from: written)) == value, "written as another \(type)")
  }

  private static func hasDecimals(_ json: [UInt8]) -> Bool {
    zip(json, json.dropFirst()).contains { $0 == UInt8(ascii: ".") && $1 == UInt8(ascii: "0") }
  }
}
