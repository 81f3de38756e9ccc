// SPDX-License-Identifier: Apache-2.0

import Testing

/// Responses that are valid JSON but do not match the request or the schema.
@Suite struct HostileRowTests {
  private typealias Run = HostileRun

  /// The first row, with one field changed or added.
  private static func row(_ name: String, _ value: String) -> String {
    let type = name == "$type" ? value : "\"app.bsky.graph.defs#relationship\""
    let did = name == "did" ? value : "\"\(HostileRun.targets[0])\""
    let other = ["$type", "did"].contains(name) ? "" : ",\"\(name)\":\(value)"
    return "{\"$type\":\(type),\"did\":\(did)\(other)}"
  }

  fileprivate static let edges = [
    "following", "followedBy", "blocking", "blockedBy", "blockingByList", "blockedByList",
  ]
  /// Values that are neither strings nor absent, and strings that are neither DIDs nor AT-URIs.
  fileprivate static let wrongValues = [
    "5", "true", "[]", "{}", "\"\"", "\"nobody\"", "\"did:plc:\\u0000\"", "\"at://\\ud83d\\ude00/x/y\"",
  ]

  /// Each value once; ``HostileRowLongTests`` tries each with every edge.
  @Test(arguments: zip(edges + edges, wrongValues))
  func anInvalidEdgeFailsItsRow(edge: String, value: String) async throws {
    try await Self.expectOnlyFirstFails(edge, value)
  }

  fileprivate static func expectOnlyFirstFails(_ edge: String, _ value: String) async throws {
    try await Run(body: Run.body(first: row(edge, value))).expectOnlyFirstFails(
      at: "relationships[0].\(edge)")
  }

  @Test(arguments: wrongValues + ["null"])
  func anInvalidTargetFailsItsRow(value: String) async throws {
    try await Run(body: Run.body(first: Self.row("did", value))).expectOnlyFirstFails(
      at: "relationships[0].did")
  }

  @Test(arguments: ["5", "null", "[]", "{}"])
  func anInvalidTypeFailsItsRow(value: String) async throws {
    try await Run(body: Run.body(first: Self.row("$type", value))).expectOnlyFirstFails(
      at: "relationships[0].$type")
  }

  @Test(arguments: ["5", "null", "\"x\"", "[]", "{}", "{\"did\":\"\(HostileRun.targets[0])\"}"])
  func anInvalidRowFailsAlone(row: String) async throws {
    try await Run(body: Run.body(first: row)).expectOnlyFirstFails(at: "relationships[0]")
  }

  @Test func aRowOfAnUnknownTypeFailsAlone() async throws {
    let row = Self.row("$type", "\"app.bsky.graph.defs#friendship\"")
    try await Run(body: Run.body(first: row)).expectOnlyFirstFails(at: "relationships[0]")
  }

  @Test(arguments: [
    ("null", ""), ("5", ""), ("\"x\"", ""), ("[]", ""), ("{}", ""),
    ("{\"actor\":\"\(HostileRun.actor)\"}", ""),
    ("{\"actor\":\"\(HostileRun.actor)\",\"relationships\":null}", "relationships"),
    ("{\"actor\":\"\(HostileRun.actor)\",\"relationships\":{}}", "relationships"),
    ("{\"actor\":\"\(HostileRun.actor)\",\"relationships\":\"x\"}", "relationships"),
    ("{\"actor\":5,\"relationships\":[]}", "actor"),
    ("{\"actor\":\"nobody\",\"relationships\":[]}", "actor"),
    ("{\"actor\":{},\"relationships\":[]}", "actor"),
  ])
  func aResponseOfAnotherShapeGivesNoAnswer(body: String, path: String) async throws {
    try await Run(body: body).expectNothing("lexicon.mismatch", at: path)
  }

  @Test func aResponseForAnotherActorGivesNoAnswer() async throws {
    let body = Run.body().replacing("\"actor\":\"\(Run.actor)\"", with: "\"actor\":\"\(Run.stranger)\"")
    try await Run(body: body).expectNothing(nil, at: "actor")
  }

  @Test func aResponseWithoutActorGivesNoAnswer() async throws {
    try await Run(body: "{\"relationships\":[\(Run.rows.joined(separator: ","))]}").expectNothing(
      nil, at: "actor")
  }

  @Test(arguments: [0, 1, 29]) func tooFewRowsGiveNoAnswer(count: Int) async throws {
    let rows = (0..<count).map { Run.row($0 % 30) }
    try await Run(body: Run.body(rows)).expectNothing(nil, at: "relationships")
  }

  @Test(arguments: [31, 60, 1_000]) func tooManyRowsGiveNoAnswer(count: Int) async throws {
    let rows = (0..<count).map { Run.row($0 % 30) }
    try await Run(body: Run.body(rows)).expectNothing("json.tooLarge", at: "relationships[30]")
  }

  @Test func rowsInAnotherOrderGiveNoAnswer() async throws {
    var rows = Run.rows
    rows.swapAt(3, 4)
    try await Run(body: Run.body(rows)).expectNothing(nil, at: "relationships[3].did")
  }

  @Test func anUnrequestedTargetGivesNoAnswer() async throws {
    let row = Run.row(0).replacing(Run.targets[0], with: Run.stranger)
    try await Run(body: Run.body(first: row)).expectNothing(nil, at: "relationships[0].did")
    let absent =
      "{\"$type\":\"app.bsky.graph.defs#notFoundActor\",\"actor\":\"\(Run.stranger)\",\"notFound\":true}"
    try await Run(body: Run.body(first: absent)).expectNothing(nil, at: "relationships[0].actor")
  }
}

/// Every edge with every invalid value.
@Suite struct HostileRowLongTests {
  @Test(arguments: HostileRowTests.edges, HostileRowTests.wrongValues)
  func anInvalidEdgeFailsItsRow(edge: String, value: String) async throws {
    try await HostileRowTests.expectOnlyFirstFails(edge, value)
  }
}
