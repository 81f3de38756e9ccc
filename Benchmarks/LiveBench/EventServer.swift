// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithLocalHTTP
import KithSandbox

/// A network whose accounts follow and unfollow when a line of the input says so.
///
///     events COUNT                    at once; prints the number of the last one
///     pace PER-SECOND COUNT READERS   evenly, once there are that many readers; prints the same
///
/// A third are unfollows, and one in ten is about an account that is watched: the first half of the accounts.
struct EventServer {
  private static let accounts = 20_000

  private struct Pair: Hashable { let account, subject: DID }

  private let sandbox: Sandbox
  private let watched: [DID]
  private let others: [DID]
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var made: [Pair] = []
  private var undone = 0
  private var known: Set<Pair> = []

  init() {
    var stream = SandboxStream()
    stream.window = 1_000_000
    sandbox = Sandbox(
      network: SandboxNetwork(configuration: .init(accounts: Self.accounts)),
      configuration: .init(stream: stream))
    let active = sandbox.network.accounts.filter { $0.status == .active }.map(\.did)
    watched = Array(active.prefix(Self.accounts / 2))
    others = Array(active.dropFirst(Self.accounts / 2))
  }

  func run() async throws {
    let listener = try HTTPListener(port: 0, limits: LocalHTTPLimits(bodyBytes: Sandbox.mostBodyBytes))
    let list = watched.map { #""\#($0)""# }.joined(separator: ",")
    say(#"{"url":"\#(listener.url)","watched":[\#(list)]}"#)
    let serving = Task { [sandbox] in await listener.serve(sandbox.answers(at: listener.url)) }
    defer { serving.cancel() }
    var server = self
    while let line = await Self.line() {
      let words = line.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Int($0) }
      switch words.first {
      case "events" where numbers.count == 1: for _ in 0..<numbers[0] { server.step() }
      case "pace" where numbers.count == 3: try await server.pace(numbers[0], numbers[1], numbers[2])
      default: throw LiveBench.Fault(description: "cannot \(line)")
      }
      say("\(sandbox.stream.next - 1)")
    }
  }

  private mutating func pace(_ rate: Int, _ count: Int, _ readers: Int) async throws {
    while sandbox.stream.readerCount < readers { try await Task.sleep(for: .milliseconds(10)) }
    say("readers")
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<count {
      // Ten milliseconds of events at once: waking for each would measure the waking.
      if number % max(1, rate / 100) == 0 {
        try await clock.sleep(until: start + .seconds(number) / rate)
      }
      step()
    }
  }

  /// Makes one event.
  private mutating func step() {
    let before = sandbox.stream.next
    while sandbox.stream.next == before {
      if made.count > 2 * undone + 1_000 {
        let pair = made[undone]
        undone += 1
        sandbox.unfollow(from: pair.account, to: pair.subject)
      } else {
        let subjects = next(below: 10) == 0 ? watched : others
        let pair = Pair(
          account: others[next(below: others.count)], subject: subjects[next(below: subjects.count)])
        guard pair.account != pair.subject, known.insert(pair).inserted else { continue }
        sandbox.follow(from: pair.account, to: pair.subject)
        made.append(pair)
      }
    }
  }

  /// A number that looks random, the same in each run.
  private mutating func next(below bound: Int) -> Int {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return Int(random % UInt64(bound))
  }

  private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// The next line of the input, which is waited for beside what serves.
  private static func line() async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: readLine()) }
    }
  }
}
