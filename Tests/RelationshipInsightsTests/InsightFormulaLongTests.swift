// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RelationshipInsights

/// Each formula against another computation of its definition, in Python with numpy and scipy: `Tests/Insights/recompute.py`.
@Suite(.serialized) struct InsightFormulaLongTests {
  /// What Python is given.
  private struct Input: Encodable {
    struct Member: Encodable {
      let after: Int64?
      let by: Int64
      let left: Int64?
      let claimed: Int64?
      let isReturn: Bool
    }

    struct Post: Encodable {
      let at: Int64
      let interactions: Int
      let followers: Int
    }

    var zone = ""
    var shares: [[Int]] = []
    var samples: [[Double]] = []
    var members: [Member] = []
    var counts: [[Int64]] = []
    var pairs: [[Int64?]] = []
    var posts: [Post] = []
    var series: [Int] = []
  }

  /// What it answers.
  private struct Answer: Decodable {
    struct Flow: Decodable {
      let name: String
      let figures: [Int]
      let churn: Double?

      init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        name = try row.decode(String.self)
        figures = try (0..<3).map { _ in try row.decode(Int.self) }
        churn = try row.decode(Double?.self)
      }
    }

    struct Group: Decodable {
      let name: String
      let size: Int
      let retained: [Int?]

      init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        name = try row.decode(String.self)
        size = try row.decode(Int.self)
        retained = try row.decode([Int?].self)
      }
    }

    struct Survivors: Decodable {
      let count: Int

      init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        _ = try row.decode(String.self)
        count = try row.decode(Int.self)
      }
    }

    let wilson: [[Double]]
    let medians: [[Double]]
    let growth: [Survivors]
    let flows: [String: [Flow]]
    let cohorts: [Group]
    let followBack: [Double]
    let engagement: [String: [Double]]
    let forecast: [[Double]]
  }

  private static let day: Int64 = 86_400_000_000
  /// 2024-03-01.
  private static let start: Int64 = 19_783 * 86_400_000_000

  private func near(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= 1e-9 * max(1, abs(other)) }

  private func agree(_ estimate: Estimate?, _ figures: [Double]) -> Bool {
    guard let estimate, figures.count == 3 else { return false }
    return near(estimate.value, figures[0]) && near(estimate.interval.lowerBound, figures[1])
      && near(estimate.interval.upperBound, figures[2])
  }

  // MARK: Data

  private func input(_ zone: String, seed: UInt64) -> Input {
    var random = SeededNumbers(seed: seed)
    var input = Input(zone: zone)
    for _ in 0..<60 {
      let size = Int.random(in: 1...400, using: &random)
      input.shares.append([Int.random(in: 0...size, using: &random), size])
    }
    for size in [6, 7, 10, 25, 99, 100, 640] {
      input.samples.append((0..<size).map { _ in Double.random(in: 0...9, using: &random) })
    }
    let snapshots = (0...300).map { Self.start + Int64($0) * Self.day + 7 }
    input.counts = snapshots.enumerated().map { [$1, Int64(500 + $0)] }
    input.members = (0..<3_000).map { _ in member(snapshots, &random) }
    input.pairs = (0..<400).map { _ in
      let followed = Self.start + Int64.random(in: 0..<200 * Self.day, using: &random)
      let pause = Int64.random(in: -20 * Self.day..<90 * Self.day, using: &random)
      return Int.random(in: 0..<9, using: &random) == 0 ? [followed, nil] : [followed, followed + pause]
    }
    input.posts = (0..<900).map { _ in
      Input.Post(
        at: Self.start + Int64.random(in: 0..<300 * Self.day, using: &random),
        interactions: Int.random(in: 0...50, using: &random),
        followers: Int.random(in: 0...900, using: &random))
    }
    var count = 1_000
    for _ in 0..<150 {
      count += Int.random(in: 0...14, using: &random)
      input.series.append(count)
    }
    return input
  }

  /// Somebody who came before the first snapshot or between two, and maybe left between two later ones.
  private func member(_ snapshots: [Int64], _ random: inout SeededNumbers) -> Input.Member {
    let place = Int.random(in: 0..<snapshots.count, using: &random)
    let isFromBefore = Bool.random(using: &random) || place == 0
    let by = isFromBefore ? snapshots[0] : snapshots[place]
    let after = isFromBefore ? nil : snapshots[place - 1]
    let first = isFromBefore ? 0 : place
    // Some claim what no snapshot agrees with.
    let claims: [Int64?] = [
      nil, by - Int64.random(in: 0..<Self.day, using: &random),
      by - Int64.random(in: 0..<700 * Self.day, using: &random), by + Self.day, 0,
    ]
    let leaves = first + 1 < snapshots.count && Int.random(in: 0..<3, using: &random) == 0
    return Input.Member(
      after: after, by: by,
      left: leaves ? snapshots[Int.random(in: first + 1..<snapshots.count, using: &random)] : nil,
      claimed: claims[Int.random(in: 0..<claims.count, using: &random)],
      isReturn: !isFromBefore && Int.random(in: 0..<10, using: &random) == 0)
  }

  private func clock(_ zone: String) throws -> ZonedClock {
    let system = try #require(TimeZone(identifier: zone))
    var changes: [ZonedClock.Change] = []
    var moment = Date(timeIntervalSince1970: 1_500_000_000)
    let first = system.secondsFromGMT(for: moment)
    while let next = system.nextDaylightSavingTimeTransition(after: moment),
      next.timeIntervalSince1970 < 2_000_000_000
    {
      moment = next
      changes.append(
        .init(
          at: Int64(moment.timeIntervalSince1970) * 1_000_000,
          secondsEast: system.secondsFromGMT(for: moment + 1)))
    }
    return ZonedClock(name: zone, secondsEast: first, changes: changes)
  }

  // MARK: Python

  private func run(_ words: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(words)")
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func recompute(_ input: Input) throws -> Answer {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-insights-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let scripts = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Insights")
      .standardized
    let python = try run([scripts.appending(path: "python-environment").path()]) + "/bin/python"
    let (question, answer) = (folder.appending(path: "in.json"), folder.appending(path: "out.json"))
    try JSONEncoder().encode(input).write(to: question)
    _ = try run([python, scripts.appending(path: "recompute.py").path(), question.path(), answer.path()])
    return try JSONDecoder().decode(Answer.self, from: Data(contentsOf: answer))
  }

  @Test(arguments: [("UTC", 1), ("Europe/Berlin", 2), ("America/St_Johns", 3), ("Pacific/Auckland", 4)])
  func everyFormulaAgreesWithPython(zone: String, seed: UInt64) throws {
    let input = input(zone, seed: seed)
    let answer = try recompute(input)
    let clock = try clock(zone)
    for (share, figures) in zip(input.shares, answer.wilson) {
      #expect(agree(.share(share[0], of: share[1]), figures), "\(share)")
    }
    for (sample, figures) in zip(input.samples, answer.medians) {
      #expect(agree(.median(of: sample), figures), "\(sample.count)")
    }
    let memberships = input.members.map { member in
      Membership(
        arrival: .init(after: member.after, by: member.by),
        departure: member.left.map { .init(after: nil, by: $0) }, claimed: member.claimed,
        isReturn: member.isReturn)
    }
    let counts = input.counts.map { CountAtMoment(at: $0[0], Int($0[1])) }
    let curve = GrowthCurve(memberships, counts: counts, clock: clock)
    #expect(curve.survivors.map(\.count) == answer.growth.map(\.count))
    for unit in CalendarUnit.allCases {
      let flows = AudienceFlow.flows(of: memberships, counts: counts, by: unit, clock: clock)
      let others = try #require(answer.flows[unit.rawValue])
      #expect(flows.map(\.period.description) == others.map(\.name))
      #expect(flows.map { [$0.gained, $0.returned, $0.lost] } == others.map(\.figures), "\(unit)")
      #expect(flows.map(\.churnRate) == others.map(\.churn), "\(unit)")
    }
    let ends = try #require(counts.map(\.at).min())...(try #require(counts.map(\.at).max()))
    let cohorts = Cohort.cohorts(of: memberships, by: .month, snapshots: ends, clock: clock)
    #expect(cohorts.map(\.period.description) == answer.cohorts.map(\.name))
    #expect(cohorts.map(\.size) == answer.cohorts.map(\.size))
    #expect(cohorts.map(\.retained) == answer.cohorts.map(\.retained))
    try compareSamples(input, answer, clock)
  }

  private func compareSamples(_ input: Input, _ answer: Answer, _ clock: ZonedClock) throws {
    let accounts = try input.pairs.indices.map { try account($0) }
    let times = FollowBackTimes(
      follows: Dictionary(uniqueKeysWithValues: zip(accounts, input.pairs.map { $0[0] })),
      followers: Dictionary(uniqueKeysWithValues: zip(accounts, input.pairs.map { $0[1] })))
    let quartiles = try #require(times.quartiles)
    for (one, other) in zip([quartiles.lower, quartiles.median, quartiles.upper], answer.followBack) {
      #expect(near(one, other))
    }
    let engagement = Engagement(
      of: input.posts.map { post in
        PostFigures(
          at: post.at, kinds: .text, likes: post.interactions, reposts: 0, replies: 0, quotes: 0,
          followers: post.followers)
      }, clock: clock)
    var groups = ["all": engagement.rate]
    for group in engagement.byHour where group.rate != nil { groups["hour-\(group.key)"] = group.rate }
    for group in engagement.byWeekday where group.rate != nil { groups["weekday-\(group.key)"] = group.rate }
    #expect(Set(groups.keys) == Set(answer.engagement.keys))
    for (key, estimate) in groups { #expect(agree(estimate, answer.engagement[key] ?? []), "\(key)") }
    let forecast = DampedTrend(fitting: input.series.map(Double.init)).ahead(60)
    for (one, other) in zip(forecast, answer.forecast) {
      #expect(near(one.mean, other[0]) && near(one.deviation, other[1]))
    }
    #expect(forecast.count == answer.forecast.count)
  }
}
