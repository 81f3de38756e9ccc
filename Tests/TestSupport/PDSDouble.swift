// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithClient
package import KithCore

/// A minimal PDS in the dialect of each of the three in the table of PDSes, with the calls that an AppView
/// keeps behind it.
package final class PDSDouble: Sendable {
  package enum Manner: Sendable, CaseIterable { case reference, arroba, lenient }

  /// What the cursors of listings are.
  package enum Cursors: Sendable, CaseIterable {
    /// Keys, after which the next page begins.
    case keys
    /// Names of places in the listing, of which only those that were sent are known.
    case opaque
    /// Keys of existing records; others are ignored.
    case existingKeys
    /// Keys of existing records; others are refused.
    case knownKeys
  }

  /// A failure of the next commit.
  package enum Fault: Sendable {
    /// It is done, and the response is lost.
    case answerLost(TransportError.Code)
    /// It is not done, and the response is lost.
    case requestLost(TransportError.Code)
    /// It is not done, and this is the response.
    case answer(TransportResponse)
    /// It is done, and this is the response.
    case doneButAnswered(TransportResponse)
  }

  package struct State: Sendable {
    /// The records by `collection/rkey`.
    package var records: [String: DataValue] = [:]
    /// The writes of each commit that took effect.
    package var commits: [[DataValue]] = []
    package var faults: [Fault] = []
    /// The response to every query for records, while it is set.
    package var answerToQuestions: TransportResponse?
    /// Calls that the AppView keeps, as `method {body}`.
    package var calls: [String] = []
    package var profiles: [DID: String] = [:]
    package var mutedLists: Set<String> = []
    /// The viewer's records that the AppView shows for posts, by their URI and by `like` or `repost`.
    package var reactions: [String: [String: String]] = [:]
    package var cursors = Cursors.keys
    /// Whether it ignores the keys that a client chooses for new records.
    package var choosesKeys = false
    /// Whether it tells its latest commit.
    package var tellsLatestCommit = true
    /// Whether it makes a commit only after the one that the client names; nil for the manner of this PDS.
    package var comparesCommits: Bool?
    /// What other apps do just before the next requests of a method, in order.
    package var rivals: [(method: String, change: @Sendable (inout [String: DataValue]) -> Void)] = []
    /// The number of changes so far.
    package fileprivate(set) var revision = 0
  }

  package let account: DID
  package let manner: Manner
  private let state = PosixMutex(State())

  package init(account: DID = Accounts.did(0), _ manner: Manner = .reference) {
    self.account = account
    self.manner = manner
  }

  /// Changes the state; a change of the records is a commit of another app.
  package func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let former = state.records
      defer { if state.records != former { state.revision += 1 } }
      return body(&state)
    }
  }

  /// Makes a commit as another app, just before the next request of a method.
  package func before(_ method: String, _ change: @escaping @Sendable (inout [String: DataValue]) -> Void) {
    state.withLock { $0.rivals.append((method, change)) }
  }

  /// The latest commit.
  package var head: (cid: String, rev: TID) { state.withLock { Self.commit($0.revision) } }

  /// Its revision is a counter, and no time (table of PDSes).
  private static func commit(_ revision: Int) -> (cid: String, rev: TID) {
    ("zCommit\(100_000_000 + revision)", TID(at: Instant(revision), clockID: 0))
  }

  package var records: [String: DataValue] { state.withLock(\.records) }
  package var commits: [[DataValue]] { state.withLock(\.commits) }
  package var calls: [String] { state.withLock(\.calls) }

  /// Adds a record about a subject.
  package func put(_ collection: String, _ rkey: String, subject: some CustomStringConvertible) {
    state.withLock {
      $0.records["\(collection)/\(rkey)"] = Self.edge(collection, subject)
      $0.revision += 1
    }
  }

  package static func edge(_ collection: String, _ subject: some CustomStringConvertible) -> DataValue {
    [
      "$type": .string(collection), "subject": .string("\(subject)"),
      "createdAt": "2025-01-01T00:00:00.000Z",
    ]
  }

  package func answer(_ request: TransportRequest) throws -> TransportResponse {
    try state.withLock { state in Result { try answer(request, &state) } }.get()
  }

  private func answer(_ request: TransportRequest, _ state: inout State) throws -> TransportResponse {
    let query = RequestQuery(request)
    if let index = state.rivals.firstIndex(where: { query.method == $0.method }) {
      let former = state.records
      state.rivals.remove(at: index).change(&state.records)
      if state.records != former { state.revision += 1 }
    }
    switch query.method {
    case "com.atproto.sync.getLatestCommit" where state.tellsLatestCommit:
      if let answer = state.answerToQuestions { return answer }
      let head = Self.commit(state.revision)
      return TransportResponse(#"{"cid":"\#(head.cid)","rev":"\#(head.rev)"}"#)
    case "com.atproto.repo.applyWrites": return try applyWrites(request, &state)
    case "com.atproto.repo.getRecord": return state.answerToQuestions ?? getRecord(query, state)
    case "com.atproto.repo.listRecords": return state.answerToQuestions ?? listRecords(query, state)
    case "app.bsky.graph.muteActor", "app.bsky.graph.unmuteActor", "app.bsky.graph.muteActorList",
      "app.bsky.graph.unmuteActorList":
      let proxy = request.head.headerFields.first { $0.name.canonicalName == "atproto-proxy" }?.value ?? "-"
      state.calls.append("\(query.method) \(String(decoding: request.body ?? [], as: UTF8.self)) \(proxy)")
      return TransportResponse("")
    case "app.bsky.actor.getProfiles":
      let profiles = query["actors"].compactMap { DID($0).flatMap { state.profiles[$0] } }
      return TransportResponse(#"{"profiles":[\#(profiles.joined(separator: ","))]}"#)
    case "app.bsky.feed.getPosts":
      let posts = query["uris"].map { Self.post($0, viewer: state.reactions[$0] ?? [:]) }
      return TransportResponse(#"{"posts":[\#(posts.joined(separator: ","))]}"#)
    case "app.bsky.graph.getList":
      let isMuted = query["list"].first.map(state.mutedLists.contains) ?? false
      return TransportResponse(#"{"list":{"viewer":{"muted":\#(isMuted)}},"items":[]}"#)
    case "com.atproto.repo.describeRepo": return TransportResponse(status: 502)
    default: return .xrpcError(501, "MethodNotImplemented", "Method Not Implemented")
    }
  }

  /// The view of a post.
  private static func post(_ uri: String, viewer: [String: String]) -> String {
    let fields = viewer.map { #""\#($0)":"\#($1)""# }.joined(separator: ",")
    let author = Accounts.did(1)
    return """
      {"uri":"\(uri)","cid":"\(cid)","author":{"did":"\(author)","handle":"\(Accounts.handle(1))"},
      "record":{"$type":"app.bsky.feed.post","text":"x","createdAt":"2025-01-01T00:00:00.000Z"},
      "indexedAt":"2025-01-01T00:00:00.000Z","viewer":{\(fields)}}
      """
  }

  // MARK: Writing

  private func applyWrites(_ request: TransportRequest, _ state: inout State) throws -> TransportResponse {
    let host = request.head.authority ?? ""
    let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
    switch fault {
    case .requestLost(let code): throw TransportError(code, host: host)
    case .answer(let response): return response
    default: break
    }
    let input = try JSONCoding.decode(DataValue.self, from: request.body ?? [])
    guard input["repo"]?.string == "\(account)" else {
      return TransportResponse(status: 401, "unauthorized", type: "text/plain")
    }
    if let swap = input["swapCommit"]?.string, let refusal = refusal(ofSwap: swap, state) { return refusal }
    let sent = input["writes"]?.array ?? []
    let writes = state.choosesKeys ? sent.map { Self.rekeyed($0) } : sent
    if let refusal = commit(writes, &state) { return refusal }
    switch fault {
    case .answerLost(let code): throw TransportError(code, host: host)
    case .doneButAnswered(let response): return response
    default:
      return TransportResponse(
        results(
          of: writes, as: state.tellsLatestCommit ? Self.commit(state.revision) : nil))
    }
  }

  /// A write whose new record has a key of the server.
  private static func rekeyed(_ write: DataValue) -> DataValue {
    guard write.type == "com.atproto.repo.applyWrites#create", var fields = write.object else { return write }
    fields["rkey"] = .string("own-\(write["rkey"]?.string ?? "")")
    return .object(fields)
  }

  private func refusal(ofSwap swap: String, _ state: State) -> TransportResponse? {
    guard state.comparesCommits ?? (manner != .arroba) else {
      return .xrpcError(400, "InvalidRequest", "swapCommit not supported yet")
    }
    let head = Self.commit(state.revision).cid
    guard swap != head else { return nil }
    return manner == .lenient
      ? TransportResponse(status: 400, "the commit is another one\n", type: "text/plain")
      : .xrpcError(400, "InvalidSwap", "Commit was at \(head)")
  }

  private func results(of writes: [DataValue], as head: (cid: String, rev: TID)?) -> String {
    let results = writes.map { write in
      let kind = "\(write.type ?? "")Result"
      guard !kind.hasSuffix("#deleteResult") else { return #"{"$type":"\#(kind)"}"# }
      let key = "\(write["collection"]?.string ?? "")/\(write["rkey"]?.string ?? "")"
      return #"{"$type":"\#(kind)","uri":"at://\#(account)/\#(key)","cid":"\#(Self.cid)"}"#
    }
    let commit = head.map { #""commit":{"cid":"\#($0.cid)","rev":"\#($0.rev)"},"# } ?? ""
    return #"{\#(commit)"results":[\#(results.joined(separator: ","))]}"#
  }

  private static let cid = "bafyreihffx5a2e7k5uwrmmgofbvzujc5cmw5h4espouwuxt3liqoflx3ee"

  private func commit(_ writes: [DataValue], _ state: inout State) -> TransportResponse? {
    if writes.count > 200, manner != .lenient {
      return .xrpcError(400, "InvalidRequest", "Too many writes. Max: 200")
    }
    var records = state.records
    for write in writes {
      let key = "\(write["collection"]?.string ?? "")/\(write["rkey"]?.string ?? "")"
      let isThere = records[key] != nil
      switch write.type {
      case "com.atproto.repo.applyWrites#create":
        if isThere, manner != .arroba { return recordExists }
        records[key] = write["value"]
      case "com.atproto.repo.applyWrites#update": records[key] = write["value"]
      default:
        guard isThere else { return noSuchRecord(key) }
        records[key] = nil
      }
    }
    state.records = records
    state.commits.append(writes)
    state.revision += 1
    return nil
  }

  private var recordExists: TransportResponse {
    manner == .lenient
      ? TransportResponse(status: 400, "record already exists\n", type: "text/plain")
      : .xrpcError(500, "InternalServerError", "Internal Server Error")
  }

  private func noSuchRecord(_ key: String) -> TransportResponse {
    switch manner {
    case .reference: .xrpcError(500, "InternalServerError", "Internal Server Error")
    case .arroba: .xrpcError(400, "InvalidRequest", "\(key) doesn't exist in repo")
    case .lenient: TransportResponse(status: 400, "no such record\n", type: "text/plain")
    }
  }

  // MARK: Reading

  private func getRecord(_ query: RequestQuery, _ state: State) -> TransportResponse {
    let key = "\(query["collection"].first ?? "")/\(query["rkey"].first ?? "")"
    guard let value = state.records[key] else {
      return manner == .lenient
        ? TransportResponse(status: 404, "record not found\n", type: "text/plain")
        : .xrpcError(400, "RecordNotFound", "Could not locate record: at://\(account)/\(key)")
    }
    return TransportResponse(#"{"uri":"at://\#(account)/\#(key)","value":\#(Self.json(value))}"#)
  }

  private func listRecords(_ query: RequestQuery, _ state: State) -> TransportResponse {
    let collection = query["collection"].first ?? ""
    let limit = query["limit"].first.flatMap { Int($0) } ?? 50
    var cursor = query["cursor"].first
    switch state.cursors {
    case .keys: break
    case .opaque:
      guard let place = cursor else { break }
      guard place.hasPrefix("place-") else { return .xrpcError(400, "InvalidRequest", "unknown cursor") }
      cursor = String(place.dropFirst("place-".count))
    case .existingKeys, .knownKeys:
      guard let key = cursor, state.records["\(collection)/\(key)"] == nil else { break }
      guard state.cursors == .existingKeys else {
        return .xrpcError(400, "InvalidRequest", "unknown cursor")
      }
      cursor = nil
    }
    var keys = state.records.keys.filter { $0.hasPrefix("\(collection)/") }.sorted()
    let page: [String]
    if manner == .arroba {
      if let cursor { keys.removeAll { $0 < cursor } }
      page = Array(keys.prefix(limit))
    } else {
      keys.reverse()
      if let cursor { keys.removeAll { $0 >= "\(collection)/\(cursor)" } }
      page = Array(keys.prefix(limit))
    }
    let rows = page.map { #"{"uri":"at://\#(account)/\#($0)","value":\#(Self.json(state.records[$0]))}"# }
    let next: String? =
      switch manner {
      case .arroba: page.count == limit ? page.last : nil
      case .reference: page.last.map { String($0.dropFirst(collection.count + 1)) }
      case .lenient: page.count == limit ? page.last.map { String($0.dropFirst(collection.count + 1)) } : nil
      }
    let prefix = state.cursors == .opaque ? "place-" : ""
    let cursorField = next.map { #","cursor":"\#(prefix + $0)""# } ?? ""
    return TransportResponse(#"{"records":[\#(rows.joined(separator: ","))]\#(cursorField)}"#)
  }

  private static func json(_ value: DataValue?) -> String {
    guard let value, let bytes = try? JSONCoding.encode(value) else { return "null" }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension PDSDouble {
  /// Returns a client of this PDS that does not retry.
  package func client(_ time: TimeSource = ManualClock(.skipping).timeSource()) throws -> XRPCClient {
    try client(transport, time)
  }

  /// Performs and records calls to this PDS.
  package var transport: ScriptedTransport { ScriptedTransport { [self] in try answer($0) } }

  /// Returns a client that reaches this PDS, or another responder, through a transport.
  package func client(
    _ transport: ScriptedTransport, _ time: TimeSource = ManualClock(.skipping).timeSource()
  ) throws
    -> XRPCClient
  {
    XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: time)
  }
}
