// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// A journal that cannot be written: exit code 74, and nothing is lost or done twice.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .serialized,
  .timeLimit(.minutes(4)))
struct StoreTroubleTests {
  private static let points = "--points 1000000/1000000 --leave 0"

  private func followed(by name: String, of network: LiveNetwork) async throws -> [String] {
    try await RecordReader(network).subjects(of: network.did(name), in: "app.bsky.graph.follow")
  }

  /// Without permission to create a namespace, there is no disk to fill.
  private static func mayMount() async -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-disk-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return (try? await HarnessProcess("with-small-disk", [folder.path(), "64", "true"]).status) == 0
  }

  @Test(.enabled("needs permission to create a mount namespace") { await mayMount() })
  func aDiskThatFillsUpStopsTheJobUntilThereIsRoom() async throws {
    let network = try await LiveNetwork.populated().network
    let sybil = try await Person.signedIn(as: "sybil", to: network)
    defer { sybil.end() }
    let subjects = try await network.strangers(300, seed: 3)
    let names = sybil.folder.appending(path: "names.txt")
    try Data(subjects.joined(separator: "\n").utf8).write(to: names)
    let data = sybil.folder.appending(path: "data")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    let script = """
      cd "$1" && kith=$2 names=$3
      head -c 3900K /dev/zero >ballast
      "$kith" follow --from "$names" --yes \(Self.points) >/dev/null; echo $?
      head -c 2600K /dev/zero >ballast
      "$kith" follow --from "$names" --yes \(Self.points) --commit-size 2 >/dev/null; echo $?
      "$kith" jobs --all --format ndjson
      rm ballast
      "$kith" jobs resume "$("$kith" jobs | sed 's/.*"job":\\([0-9]*\\).*/\\1/' | tail -1)" \(Self.points); echo $?
      """
    let run = try await HarnessProcess(
      "with-small-disk",
      [data.path(), "4096", "bash", "-c", script, "-", data.path(), KithRun.executable, names.path()],
      environment: sybil.environment.merging(["KITH_MESSAGES": "json"]) { _, new in new })
    let lines = run.output.split(separator: "\n").map(String.init)
    // No room for the job; then room for the job but not for its outcomes; then room.
    #expect(lines.filter { Int($0) != nil } == ["74", "74", "0"], "\(run.output) \(run.talk)")
    #expect(run.talk.ranges(of: "\"code\":\"store.full\"").count == 2)
    let jobs = try lines.filter { $0.hasPrefix("{") }.map {
      try JSONDecoder().decode(Person.JobLine.self, from: Data($0.utf8))
    }
    let stopped = try #require(jobs.first)
    #expect(run.talk.contains("\"code\":\"jobInterrupted\""))
    #expect(
      stopped.done > 0 && stopped.pending > 0 && stopped.done + stopped.pending + stopped.inDoubt == 300)
    #expect(try await followed(by: "sybil", of: network) == subjects.sorted())
  }

  @Test func aLockedStoreIsReportedAndTheJobResumesLater() async throws {
    let network = try await LiveNetwork.populated().network
    let victor = try await Person.signedIn(as: "victor", to: network)
    defer { victor.end() }
    let subjects = try await network.strangers(40, seed: 4)
    let begun = try await victor.kith(
      "follow - --points 3/3 --leave 0 --no-wait", input: subjects.joined(separator: "\n"))
    #expect(begun.status == 75, "\(begun.talk)")
    let resume = "jobs resume 1 \(Self.points)"
    let database = victor.folder.appending(path: "data/kith/kith.sqlite").path()
    let locked = try await HarnessProcess(
      "with-locked-database",
      [database, KithRun.executable] + resume.split(separator: " ").map(String.init),
      environment: victor.environment.merging(["KITH_MESSAGES": "json"]) { _, new in new })
    #expect(locked.status == 74)
    #expect(locked.talk.contains("\"code\":\"store.locked\""), "\(locked.talk)")
    #expect(try await followed(by: "victor", of: network).count == 1)
    let resumed = try await victor.kith(resume)
    #expect(resumed.status == 0, "\(resumed.talk)")
    #expect(try await followed(by: "victor", of: network) == subjects.sorted())
  }
}
