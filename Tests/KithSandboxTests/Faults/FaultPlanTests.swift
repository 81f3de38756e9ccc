// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import Testing

@testable import KithSandbox

@Suite struct FaultPlanTests {
  private typealias Kind = SandboxFaults.Kind

  private func request(_ number: Int, host: String = "127.0.0.1:80") -> LocalRequest {
    LocalRequest(path: "/xrpc/app.bsky.graph.getRelationships", query: "actor=\(number)", host: host)
  }

  private func faults(_ plan: inout FaultPlan, _ numbers: some Sequence<Int>) -> [FaultPlan.Fault?] {
    numbers.map { plan.arrived(request($0)) }
  }

  @Test(arguments: [(0.0, 0...0), (0.3, 2_800...3_200), (1.0, 10_000...10_000)])
  func failsTheConfiguredShare(rate: Double, expected: ClosedRange<Int>) {
    var plan = FaultPlan(SandboxFaults(rate: rate))
    #expect(expected.contains(faults(&plan, 0..<10_000).count { $0 != nil }))
  }

  @Test func failsTheConfiguredShareOfARepeatedRequest() {
    var plan = FaultPlan(SandboxFaults(rate: 0.3))
    #expect((2_800...3_200).contains(faults(&plan, Array(repeating: 7, count: 10_000)).count { $0 != nil }))
  }

  @Test func usesAllKindsEquallyOften() {
    var plan = FaultPlan(SandboxFaults(rate: 1))
    var counts: [Kind: Int] = [:]
    for fault in faults(&plan, 0..<10_000) { counts[fault?.kind ?? .stall, default: 0] += 1 }
    #expect(counts.count == Kind.allCases.count)
    #expect(counts.values.allSatisfy { (850...1_150).contains($0) })
  }

  @Test func usesOnlyTheConfiguredKinds() {
    var plan = FaultPlan(SandboxFaults(rate: 0.9, kinds: [.reset, .html]))
    #expect(Set(faults(&plan, 0..<500).compactMap { $0?.kind }) == [.reset, .html])
    var none = FaultPlan(SandboxFaults(rate: 1, kinds: []))
    #expect(faults(&none, 0..<10).allSatisfy { $0 == nil })
  }

  @Test func affectsOnlyTheConfiguredMethods() throws {
    let method = try NSID(parsing: "app.bsky.graph.getRelationships")
    var plan = FaultPlan(SandboxFaults(rate: 1, methods: [method]))
    #expect(faults(&plan, 0..<10).allSatisfy { $0 != nil })
    #expect(plan.arrived(LocalRequest(path: "/xrpc/app.bsky.graph.getFollows")) == nil)
    #expect(plan.arrived(LocalRequest(path: "/did:plc:a")) == nil)
  }

  @Test func doesNotDependOnTheOrderOfArrival() {
    // Each of a hundred requests comes three times: in one run in turn, in the other one after the other.
    var (inTurn, alone) = (FaultPlan(SandboxFaults(rate: 0.5)), FaultPlan(SandboxFaults(rate: 0.5)))
    let rounds = (0..<3).map { _ in faults(&inTurn, 0..<100) }
    let single = (0..<100).map { faults(&alone, [$0, $0, $0]) }
    for number in 0..<100 { #expect(rounds.map { $0[number] } == single[number]) }
  }

  @Test func dependsOnTheSeedAndTheRequest() {
    func faults(_ seed: UInt64, _ request: (Int) -> LocalRequest) -> [FaultPlan.Fault?] {
      var plan = FaultPlan(SandboxFaults(rate: 0.5, seed: seed))
      return (0..<64).map { plan.arrived(request($0)) }
    }
    let plain = faults(1) { request($0) }
    #expect(faults(1) { request($0) } == plain)
    #expect(faults(2) { request($0) } != plain)
    for change: (inout LocalRequest) -> Void in [
      { $0.method = "HEAD" }, { $0.path += "x" }, { $0.query += "x" },
      { $0.fields = [HeaderField(name: "Host", value: "alice.test:80")] },
    ] {
      let changed = faults(1) { number in
        var request = request(number)
        change(&request)
        return request
      }
      #expect(changed != plain)
    }
    // Another port is another run of the same.
    let elsewhere = faults(1) { request($0, host: "127.0.0.1:81") }
    #expect(elsewhere == plain)
  }
}
