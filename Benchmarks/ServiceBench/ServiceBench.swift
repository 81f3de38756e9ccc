// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithCurlTransport
import KithRelationships

/// Measures the library against a sandbox that holds each answer back: how near a batch comes to the ideal, and
/// what a remembered answer costs.
///
/// Takes the URL of the sandbox and a file with the DIDs of its accounts, the first of which asks.
@main enum ServiceBench {
  private static let targets = 3_000
  private static let inFlight = 8
  private static let rounds = 11

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { throw BenchmarkFault("usage: ServiceBench URL FILE-OF-DIDS") }
    let accounts = try String(contentsOfFile: arguments[2], encoding: .utf8)
      .split(separator: "\n").map { try DID(parsing: $0) }
    let transport = CurlTransport(CurlTransport.Configuration(connectionsPerHost: inFlight))
    let client = XRPCClient(service: try ServiceURL(parsing: arguments[1]), transport: transport)
    try await measureBatch(client, accounts)
    try await measureMemory(client, accounts)
  }

  // MARK: Against the network

  /// 3,000 targets are 100 calls, with eight under way 13 rounds: that many single calls are the ideal.
  private static func measureBatch(_ client: XRPCClient, _ accounts: [DID]) async throws {
    let actor = accounts[0]
    let batch = Array(accounts[1...targets])
    _ = try await time(client, actor, batch)
    var singles: [Double] = []
    var batches: [Double] = []
    for _ in 0..<rounds {
      for _ in 0..<5 { singles.append(try await time(client, actor, Array(batch.prefix(30)))) }
      batches.append(try await time(client, actor, batch))
    }
    let single = median(singles)
    let calls = (targets + 29) / 30
    let ideal = single * Double((calls + inFlight - 1) / inFlight)
    print("\(targets) targets, \(inFlight) calls under way")
    print(format("  one call of 30, median", single * 1_000, "ms"))
    print(format("  the ideal, \((calls + inFlight - 1) / inFlight) rounds", ideal * 1_000, "ms"))
    print(format("  the batch, median", median(batches) * 1_000, "ms"))
    print(format("  ratio", median(batches) / ideal, "x"))
  }

  private static func time(_ client: XRPCClient, _ actor: DID, _ targets: [DID]) async throws -> Double {
    let service = FollowRelationshipService(
      source: AppViewRelationshipSource(client: client), identities: IdentityDirectory(client: client),
      cachePolicy: .off)
    let clock = ContinuousClock()
    let started = clock.now
    var count = 0
    for try await answer in service.relationships(of: actor, with: targets) where answer.info != nil {
      count += 1
    }
    let elapsed = clock.now - started
    guard count == targets.count else {
      throw BenchmarkFault("\(targets.count - count) of \(targets.count) targets were not answered")
    }
    return elapsed / .seconds(1)
  }

  // MARK: From memory

  private static func measureMemory(_ client: XRPCClient, _ accounts: [DID]) async throws {
    let actor = accounts[0]
    let service = FollowRelationshipService(client: client)
    let many = Array(accounts[1...10_000])
    guard try await service.batchCheckFollows(actor: actor, targets: many).count == many.count else {
      throw BenchmarkFault("not all of \(many.count) targets were answered")
    }
    let clock = ContinuousClock()
    var batches: [Double] = []
    for _ in 0..<101 {
      let started = clock.now
      guard try await service.batchCheckFollows(actor: actor, targets: many).count == many.count else {
        throw BenchmarkFault("an answer was forgotten")
      }
      batches.append((clock.now - started) / .seconds(1))
    }
    print(format("10,000 remembered targets in one call, median", median(batches) * 1_000, "ms"))

    let questions = 1_000_000
    let few = Array(many.prefix(1_000))
    let perQuestion = try await Task.detached {
      var follows = 0
      let before = processorSeconds()
      for number in 0..<questions {
        if try await service.isFollowing(actor: actor, target: few[number % few.count]) { follows += 1 }
      }
      return (processorSeconds() - before) / Double(questions)
    }.value
    print(format("one remembered question, from a detached task", perQuestion * 1_000_000, "µs of CPU"))
  }

  /// What all threads of this process have used so far.
  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func format(_ name: String, _ value: Double, _ unit: String) -> String {
    name.padding(toLength: 48, withPad: " ", startingAt: 0) + String(format: "%9.3f ", value) + unit
  }
}

/// Why a benchmark cannot be run.
struct BenchmarkFault: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
