// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithLexicons

/// Compares the JSON reader with Foundation's `JSONDecoder` on answers of an AppView, in alternating rounds of
/// the same run: megabytes a second, medians.
@main enum DecodeBench {
  private static let rounds = 9
  private static let roundTime = Duration.milliseconds(300)

  static func main() throws {
    let relationships = try Documents.relationships()
    let followers = try Documents.followers()
    print("\(rounds) alternating rounds, MB/s: median (min - max)")
    print("                                       bytes         JSONCoding            JSONDecoder   ratio")
    try compare(RelationshipRows.self, "30 relationships, rows", relationships)
    try compare(App.Bsky.Graph.GetRelationships.Output.self, "30 relationships, generated", relationships)
    try compare(App.Bsky.Graph.GetFollowers.Output.self, "100 followers, generated", followers)
    try compare(DataValue.self, "100 followers, DataValue", followers)
  }

  private static func compare<Value: Decodable>(_ type: Value.Type, _ name: String, _ json: [UInt8]) throws {
    let data = Data(json)
    let decoder = JSONDecoder()
    func ours() throws { _ = try JSONCoding.decode(type, from: json) }
    func foundations() throws { _ = try decoder.decode(type, from: data) }
    let ourCount = try calibrated(ours)
    let foundationCount = try calibrated(foundations)
    var measured: (ours: [Double], foundations: [Double]) = ([], [])
    for _ in 0..<rounds {
      measured.ours.append(try rate(ourCount, json.count, ours))
      measured.foundations.append(try rate(foundationCount, json.count, foundations))
    }
    let ratio = median(measured.ours) / median(measured.foundations)
    print(
      name.padding(toLength: 30, withPad: " ", startingAt: 0), String(format: "%12d", json.count),
      line(measured.ours), line(measured.foundations), String(format: "%6.2fx", ratio))
  }

  /// How often a document is decoded in the time of a round.
  private static func calibrated(_ decode: () throws -> Void) throws -> Int {
    for _ in 0..<20 { try decode() }
    let elapsed = try ContinuousClock().measure { for _ in 0..<50 { try decode() } }
    return max(1, Int(roundTime / (elapsed / 50)))
  }

  /// Megabytes a second.
  private static func rate(_ count: Int, _ bytes: Int, _ decode: () throws -> Void) throws -> Double {
    let elapsed = try ContinuousClock().measure { for _ in 0..<count { try decode() } }
    return Double(count * bytes) / (elapsed / .seconds(1)) / 1e6
  }

  private static func line(_ rates: [Double]) -> String {
    String(format: "%7.1f (%5.1f - %5.1f)", median(rates), rates.min() ?? 0, rates.max() ?? 0)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
