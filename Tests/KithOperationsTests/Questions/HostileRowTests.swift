// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import SandboxSupport
import TestSupport
import Testing

/// Checks with answers that are valid JSON, but do not match the request or the schema, and with listings that do not
/// end.
@Suite struct HostileRowTests {
  private static let network = FaultyNetwork(accounts: 14)
  private static let actor = Accounts.did(1)
  private static let stranger = Accounts.did(500)
  /// The accounts of one call. The actor follows all of them.
  private static let targets = (2..<32).map { Accounts.did($0) }
  private static let method = "app.bsky.graph.getRelationships"

  private static func edge(_ number: Int) -> String { "at://\(actor)/app.bsky.graph.follow/3k\(number)" }

  /// The correct row of a target.
  private static func row(_ number: Int) -> String {
    """
    {"$type":"app.bsky.graph.defs#relationship","did":"\(targets[number])","following":"\(edge(number))"}
    """
  }

  private static let rows = targets.indices.map(row)

  private static func body(_ rows: [String] = rows, actor: String = "\(actor)") -> String {
    #"{"actor":"\#(actor)","relationships":[\#(rows.joined(separator: ","))]}"#
  }

  /// A response whose first row is another one.
  private static func body(first: String) -> String { body([first] + rows.dropFirst()) }

  /// The first row, with one field changed or added.
  private static func row(_ name: String, _ value: String) -> String {
    let type = name == "$type" ? value : "\"app.bsky.graph.defs#relationship\""
    let did = name == "did" ? value : "\"\(targets[0])\""
    let other = ["$type", "did"].contains(name) ? "" : ",\"\(name)\":\(value)"
    return "{\"$type\":\(type),\"did\":\(did)\(other)}"
  }

  private func check(
    _ transport: ScriptedTransport, targets: [DID] = targets, listings: [ListingQuery] = []
  ) async throws -> OperationRun<CheckRelationships> {
    let reader = try await ServedUser(nil, on: Self.network)
    var check = CheckRelationships(
      of: .did(Self.actor), targets: TargetStream(origins: targets.map { .argument("\($0)") }))
    check.listings = listings
    return try await reader.run(check, over: transport)
  }

  /// What is wrong with a check whose AppView answers with a body: rows that fail are errors that name the method and
  /// the path, all others are right.
  ///
  /// - Parameters:
  ///   - failing: how many rows fail, from the first on.
  ///   - cause: the code of the underlying error; nil if the response is valid but does not match the request.
  ///   - path: the path in the response, or a prefix of it.
  private func complaints(
    _ body: String, failing: Int, _ cause: String?, at path: String
  ) async throws -> [String] {
    let run = try await check(
      ScriptedTransport { request in
        RequestQuery(request).method == Self.method
          ? TransportResponse(body) : .xrpcError(400, "InvalidRequest", "Profile not found")
      })
    var complaints: [String] = []
    if run.rows.map(\.answer.target) != Self.targets { complaints.append("\(run.rows.count) rows") }
    for (number, row) in run.rows.enumerated() {
      let isRight =
        switch row.answer.state {
        case .failed(let error):
          number < failing && "\(error)".hasPrefix(Self.method) && (path.isEmpty || "\(error)".contains(path))
        case .known(let info): number >= failing && info.following?.description == Self.edge(number)
        case .itself, .notFound: false
        }
      if !isRight { complaints.append("row \(number): \(row.answer.state)") }
    }
    let failures = run.outcome.verdict.failures
    let error = failures.first.map { ErrorFields($0) }
    func field(_ name: String) -> String? {
      guard case .string(let text)? = error?.fields.first(where: { $0.name == name })?.value else {
        return nil
      }
      return text
    }
    if failures.count != failing || failures.kind != .invalidResponse {
      complaints.append("\(failures.count) failures, \(String(describing: failures.kind))")
    }
    let isNamed = cause != nil || error?.code == "relationship.invalidResponse"
    if !isNamed || field("cause") != cause || !(field("path") ?? "").hasPrefix(path) {
      complaints.append(String(describing: error))
    }
    return complaints
  }

  /// Values that are neither strings nor absent, and strings that are neither DIDs nor AT-URIs.
  private static let wrongValues = [
    "5", "true", "[]", "{}", "\"\"", "\"absent\"", "\"did:plc:\\u0000\"", "\"at://\\ud83d\\ude00/x/y\"",
  ]

  @Test func aWrongRowFailsAlone() async throws {
    let edges = ["following", "followedBy", "blocking", "blockedBy", "blockingByList", "blockedByList"]
    let wrongEdges = zip(edges + edges, Self.wrongValues).map { ($0, $1) }
    let all = edges.flatMap { edge in Self.wrongValues.map { (edge, $0) } }
    let fields =
      (CaseSample.isWhole ? all : wrongEdges) + (Self.wrongValues + ["null"]).map { ("did", $0) }
      + ["5", "null", "[]", "{}"].map { ("$type", $0) }
    var cases = fields.map { (Self.row($0, $1), "relationships[0].\($0)") }
    cases += ["5", "null", "\"x\"", "[]", "{}", "{\"did\":\"\(Self.targets[0])\"}"].map {
      ($0, "relationships[0]")
    }
    cases.append((Self.row("$type", "\"app.bsky.graph.defs#friendship\""), "relationships[0]"))
    for (row, path) in cases {
      let complaints = try await complaints(Self.body(first: row), failing: 1, nil, at: path)
      #expect(complaints == [], "\(row)")
    }
  }

  @Test func anAnswerToAnotherQuestionIsNoAnswer() async throws {
    let (actor, stranger, rows) = (Self.actor, Self.stranger, Self.rows)
    var swapped = rows
    swapped.swapAt(3, 4)
    let other = Self.row(0).replacing("\(Self.targets[0])", with: "\(stranger)")
    let absent =
      "{\"$type\":\"app.bsky.graph.defs#notFoundActor\",\"actor\":\"\(stranger)\",\"notFound\":true}"
    func repeated(_ count: Int) -> String { Self.body((0..<count).map { Self.row($0 % 30) }) }
    let mismatch = "lexicon.mismatch"
    let cases: [(body: String, cause: String?, path: String)] = [
      ("null", mismatch, ""), ("5", mismatch, ""), ("\"x\"", mismatch, ""), ("[]", mismatch, ""),
      ("{}", mismatch, ""), ("{\"actor\":\"\(actor)\"}", mismatch, ""),
      ("{\"actor\":\"\(actor)\",\"relationships\":null}", mismatch, "relationships"),
      ("{\"actor\":\"\(actor)\",\"relationships\":{}}", mismatch, "relationships"),
      ("{\"actor\":\"\(actor)\",\"relationships\":\"x\"}", mismatch, "relationships"),
      ("{\"actor\":5,\"relationships\":[]}", mismatch, "actor"),
      ("{\"actor\":\"absent\",\"relationships\":[]}", mismatch, "actor"),
      ("{\"actor\":{},\"relationships\":[]}", mismatch, "actor"),
      (Self.body(actor: "\(stranger)"), nil, "actor"),
      ("{\"relationships\":[\(rows.joined(separator: ","))]}", nil, "actor"),
      (repeated(0), nil, "relationships"), (repeated(1), nil, "relationships"),
      (repeated(29), nil, "relationships"), (repeated(31), "json.tooLarge", "relationships[30]"),
      (repeated(60), "json.tooLarge", "relationships[30]"),
      (repeated(1_000), "json.tooLarge", "relationships[30]"),
      (Self.body(swapped), nil, "relationships[3].did"),
      (Self.body(first: other), nil, "relationships[0].did"),
      (Self.body(first: absent), nil, "relationships[0].actor"),
    ]
    for (body, cause, path) in cases {
      let complaints = try await complaints(body, failing: 30, cause, at: path)
      #expect(complaints == [], "\(body.prefix(200))")
    }
  }

  // MARK: Listings

  /// Checks the followers that an AppView lists; the actor follows every account.
  ///
  /// - Parameter page: the body of a page of followers, by its number.
  private func check(
    _ page: @escaping @Sendable (Int) -> String
  ) async throws -> (run: OperationRun<CheckRelationships>, pages: Int) {
    let transport = ScriptedTransport { request in
      let query = RequestQuery(request)
      switch query.method {
      case "app.bsky.graph.getFollowers":
        let cursor = query["cursor"].first
        return TransportResponse(page(cursor.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0))
      case Self.method:
        return TransportResponse(
          Self.body(
            query["others"].map { target in
              """
              {"$type":"app.bsky.graph.defs#relationship","did":"\(target)",\
              "following":"at://\(Self.actor)/app.bsky.graph.follow/x"}
              """
            }))
      default: return TransportResponse(#"{"profiles":[]}"#)
      }
    }
    let run = try await check(
      transport, targets: [], listings: [.followers(of: .did(Self.stranger), in: .bluesky)])
    return (run, transport.calls(of: "app.bsky.graph.getFollowers"))
  }

  private static func page(_ accounts: Range<Int>, cursor: String?) -> String {
    let profiles = accounts.map { "{\"did\":\"\(Accounts.did($0))\",\"handle\":\"handle.invalid\"}" }
    return """
      {"subject":{"did":"\(stranger)","handle":"handle.invalid"},\
      "followers":[\(profiles.joined(separator: ","))]\(cursor.map { ",\"cursor\":\($0)" } ?? "")}
      """
  }

  @Test func aListingThatDoesNotEndIsAnErrorAfterItsAccounts() async throws {
    let large = "\"1" + String(repeating: "x", count: 1 << 19) + "\""
    let cases: [(name: String, page: @Sendable (Int) -> String, accounts: [Int], pages: Int)] = [
      (
        "a repeated cursor", { Self.page(($0 * 10 + 2)..<($0 * 10 + 12), cursor: "\"\(($0 + 1) % 3)\"") },
        Array(2..<32) + Array(2..<12), 4
      ),
      ("empty pages", { Self.page(2..<2, cursor: "\"\($0 + 1)\"") }, [], 100),
      ("a repeated page", { Self.page(2..<12, cursor: "\"\($0 + 1)\"") }, Array(2..<12), 11),
      ("a cursor of half a mebibyte", { _ in Self.page(2..<12, cursor: large) }, Array(2..<12), 1),
    ]
    for (name, page, accounts, most) in cases {
      let (run, pages) = try await check(page)
      let error = run.outcome.rows.interruption as? RelationshipError
      #expect(error?.code == .invalidResponse && error?.path == "cursor", "\(name)")
      #expect(run.rows.map(\.answer.target) == accounts.map { Accounts.did($0) }, "\(name)")
      #expect(run.rows.allSatisfy { $0.answer.info?.isFollowing == true } && pages == most, "\(name)")
    }
  }

  @Test func wrongEntriesAndCursorsAreErrors() async throws {
    for cursor in ["5", "{}", "[]", "true"] {
      let (run, _) = try await check { _ in Self.page(2..<12, cursor: cursor) }
      let error = run.outcome.rows.interruption.map { ErrorFields($0) }
      let wanted = [
        OutputField("method", .string("app.bsky.graph.getFollowers")),
        OutputField("cause", .string("lexicon.mismatch")), OutputField("path", .string("cursor")),
      ]
      #expect(run.rows.isEmpty && wanted.allSatisfy { error?.fields.contains($0) == true }, "\(cursor)")
    }
    for account in ["5", "null", "{}", "{\"did\":5}", "{\"did\":\"absent\"}"] {
      let (run, _) = try await check { _ in "{\"followers\":[{\"did\":\"\(Self.actor)\"},\(account)]}" }
      #expect(run.rows.map(\.answer.state) == [.itself], "\(account)")
      #expect(run.outcome.summary.listings.map(\.unreadable) == [1], "\(account)")
      let error = try #require(run.outcome.rows.interruption)
      #expect(FailureKind(error) == .invalidResponse, "\(account): \(error)")
    }
  }
}
