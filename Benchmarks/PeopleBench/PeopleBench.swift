// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore
import KithRelationships

/// Measures recommendations over a graph of two steps with a million paths: 10,200 accounts are followed, and follow 100 each.
@main
enum PeopleBench {
  private static let hubs = 10_200
  private static let follows = 100
  private static let accounts = 400_000

  static func main() throws {
    var random = SeededNumbers(state: 1)
    var graph = NeighbourGraph()
    // Few accounts have most followers, as in a network.
    let read = ContinuousClock().measure {
      for hub in 0..<hubs {
        let members = (0..<follows).map { _ -> DID in
          let chance = Double(random.next() >> 11) / 9_007_199_254_740_992
          return account(Int(chance * chance * chance * Double(accounts)))
        }
        graph.add(.account(account(accounts + hub)), members, degree: follows + Int(random.next() % 2_000))
      }
    }
    let excluded = Set((0..<hubs).map { account(accounts + $0) })
    var closest: [(account: DID, closeness: Closeness)] = []
    let rank = ContinuousClock().measure { closest = graph.closest(200, by: .score, excluding: excluded) }
    print("recommendations over \(graph.pathCount) paths")
    print("  read                         \(read)")
    print("  rank, with reasons           \(rank)")
    print("  best: \(closest.first?.closeness.paths ?? 0) paths")
    let peak = peakMegabytes()
    print("  peak memory                  \(peak) MB")
    guard read + rank < .seconds(2), peak < 200, closest.count == 200 else {
      print("FAILED: beyond 2 s or 200 MB")
      exit(1)
    }
    guard try FeedBench.run() else {
      print("FAILED: posts are missing or out of order")
      exit(1)
    }
  }

  private static func account(_ number: Int) -> DID {
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    var text = Array("did:plc:".utf8)
    var rest = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    for place in 0..<24 {
      text.append(digits[Int(rest & 31)])
      rest = place == 11 ? UInt64(number) : rest >> 5
    }
    guard let did = DID(String(decoding: text, as: UTF8.self)) else { exit(2) }
    return did
  }

  private static func peakMegabytes() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss / 1_024
  }
}

/// A small generator, so that every run measures the same graph.
private struct SeededNumbers {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
