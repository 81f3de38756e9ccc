// SPDX-License-Identifier: Apache-2.0

import Testing

/// Answers that are JSON, and say what was not asked or cannot be.
@Suite struct HostileRowTests {
  private typealias Run = HostileRun

  /// The first row, with one field changed or added.
  private static func row(_ name: String, _ value: String) -> String {
    let type = name == "$type" ? value : "\"app.bsky.graph.defs#relationship\""
    let did = name == "did" ? value : "\"\(HostileRun.targets[0])\""
    let other = ["$type", "did"].contains(name) ? "" : ",\"\(name)\":\(value)"
    return "{\"$type\":\(type),\"did\":\(did)\(other)}"
  }

  private static let edges = [
    "following", "followedBy", "blocking", "blockedBy", "blockingByList", "blockedByList",
  ]
  /// What is neither a string nor absent, and what is a string but neither DID nor AT-URI.
  private static let wrongValues = [
    "5", "true", "[]", "{}", "\"\"", "\"nobody\"", "\"did:plc:\\u0000\"", "\"at://\\ud83d\\ude00/x/y\"",
  ]

  @Test(arguments: edges, wrongValues)
  func anEdgeThatIsNoneFailsWithItsRow(edge: String, value: String) async throws {
    try await Run(body: Run.body(first: Self.row(edge, value))).expectOnlyFirstFails(
      "relationships[0].\(edge): ")
  }

  @Test(arguments: wrongValues + ["null"])
  func aTargetThatIsNoneFailsWithItsRow(value: String) async throws {
    try await Run(body: Run.body(first: Self.row("did", value))).expectOnlyFirstFails(
      "relationships[0].did: ")
  }

  @Test(arguments: ["5", "null", "[]", "{}"])
  func aTypeThatIsNoneFailsWithItsRow(value: String) async throws {
    try await Run(body: Run.body(first: Self.row("$type", value))).expectOnlyFirstFails(
      "relationships[0].$type: ")
  }

  @Test(arguments: ["5", "null", "\"x\"", "[]", "{}", "{\"did\":\"\(HostileRun.targets[0])\"}"])
  func aRowThatIsNoneFailsAlone(row: String) async throws {
    try await Run(body: Run.body(first: row)).expectOnlyFirstFails("relationships[0]")
  }

  @Test func aRowOfAnUnknownTypeFailsAlone() async throws {
    let row = Self.row("$type", "\"app.bsky.graph.defs#friendship\"")
    try await Run(body: Run.body(first: row)).expectOnlyFirstFails(
      "relationships[0]: a row of the unknown type app.bsky.graph.defs#friendship")
  }

  @Test(arguments: [
    ("null", ""), ("5", ""), ("\"x\"", ""), ("[]", ""), ("{}", "\"relationships\" is missing"),
    ("{\"actor\":\"\(HostileRun.actor)\"}", "\"relationships\" is missing"),
    ("{\"actor\":\"\(HostileRun.actor)\",\"relationships\":null}", "relationships: "),
    ("{\"actor\":\"\(HostileRun.actor)\",\"relationships\":{}}", "relationships: "),
    ("{\"actor\":\"\(HostileRun.actor)\",\"relationships\":\"x\"}", "relationships: "),
    ("{\"actor\":5,\"relationships\":[]}", "actor: "),
    ("{\"actor\":\"nobody\",\"relationships\":[]}", "actor: "),
    ("{\"actor\":{},\"relationships\":[]}", "actor: "),
  ])
  func anAnswerOfAnotherShapeTellsNothing(body: String, words: String) async throws {
    try await Run(body: body).expectNothing("the answer does not fit the lexicon: \(words)")
  }

  @Test func anAnswerForAnotherActorTellsNothing() async throws {
    let body = Run.body().replacing("\"actor\":\"\(Run.actor)\"", with: "\"actor\":\"\(Run.stranger)\"")
    try await Run(body: body).expectNothing("actor: it is \(Run.stranger), asked was \(Run.actor)")
  }

  @Test func anAnswerWithoutActorTellsNothing() async throws {
    try await Run(body: "{\"relationships\":[\(Run.rows.joined(separator: ","))]}").expectNothing(
      "actor: it is missing")
  }

  @Test(arguments: [0, 1, 29, 31, 60, 10_000])
  func anotherNumberOfRowsTellsNothing(count: Int) async throws {
    let rows = (0..<count).map { Run.row($0 % 30) }
    try await Run(body: Run.body(rows)).expectNothing("relationships: \(count) rows for 30 targets")
  }

  @Test func rowsInAnotherOrderTellNothing() async throws {
    var rows = Run.rows
    rows.swapAt(3, 4)
    try await Run(body: Run.body(rows)).expectNothing(
      "relationships[3].did: it is \(Run.targets[4]), asked was \(Run.targets[3])")
  }

  @Test func aTargetThatWasNotAskedForTellsNothing() async throws {
    let row = Run.row(0).replacing(Run.targets[0], with: Run.stranger)
    try await Run(body: Run.body(first: row)).expectNothing(
      "relationships[0].did: it is \(Run.stranger), asked was \(Run.targets[0])")
    let absent =
      "{\"$type\":\"app.bsky.graph.defs#notFoundActor\",\"actor\":\"\(Run.stranger)\",\"notFound\":true}"
    try await Run(body: Run.body(first: absent)).expectNothing(
      "relationships[0].actor: it is \(Run.stranger), asked was \(Run.targets[0])")
  }
}
