// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import kith

/// A run of `kith check` with thirty targets (one call), named by DID so that only relationships are
/// requested. The actor follows all of them.
///
/// The targets are written to stdin, which stays open until all rows have arrived: the process stays alive,
/// and its peak memory can be read. (`wait4` would include that of the parent process.)
struct HostileRun {
  private struct Row: Decodable {
    let target: String?
    let state: String
    let following: String?
    let error: String?

    func isFault(at path: String) -> Bool {
      state == "error" && following == nil && error?.hasPrefix(method) == true
        && (path.isEmpty || error?.contains(path) == true)
    }
  }

  static let actor = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"
  static let stranger = "did:plc:zzzzzzzzzzzzzzzzzzzzzzzz"
  static let targets = "abcdefghijklmnopqrstuvwxyz2345".map { "did:plc:bbbbbbbbbbbbbbbbbbbbbbb\($0)" }
  private static let method = "app.bsky.graph.getRelationships"
  /// The memory limit of a run; a response of sixteen mebibytes is allowed, with a hundred observed,
  /// depending on the threads that allocate. A sanitizer needs additional memory per byte.
  private static let mostMebibytes =
    ProcessInfo.processInfo.environment["KITH_SANITIZER"] == nil ? 150 : 1_000

  let status: Int32
  private let messages: [KithMessage]
  private let rows: [Row]
  /// The peak memory up to the last row, in mebibytes.
  private let peak: Int

  /// Checks the targets against a server.
  init(_ server: HostileServer) async throws {
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["check", Self.actor, "-", "--format", "ndjson", "--appview", server.url],
      environment: ["KITH_MESSAGES": "json"],
      streams: [input.far, output.far, talk.far])
    for stream in [input, output, talk] { close(stream.far) }
    async let said = talk.readAll()
    await input.write(Self.targets.joined(separator: "\n") + "\n")
    var text = ""
    while text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) < Self.targets.count {
      let piece = await output.read()
      guard !piece.isEmpty else { break }
      text += piece
    }
    peak = kith.peakMebibytes ?? .max
    close(input.near)
    text += await output.readAll()
    status = await kith.status()
    messages = try KithMessage.all(in: await said)
    for stream in [output, talk] { close(stream.near) }
    rows = try text.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    withExtendedLifetime(server) {}
  }

  /// Checks the targets against a server that answers each call with a body.
  init(body: String, fields: String = "") async throws {
    try await self.init(bytes: Array(body.utf8), fields: fields)
  }

  init(bytes: [UInt8], fields: String = "") async throws {
    try await self.init(HostileServer { _, connection in connection.answer(bytes, fields: fields) })
  }

  /// The correct row of a target.
  static func row(_ number: Int) -> String {
    """
    {"$type":"app.bsky.graph.defs#relationship","did":"\(targets[number])","following":"\(edge(number))"}
    """
  }

  static func edge(_ number: Int) -> String { "at://\(actor)/app.bsky.graph.follow/3k\(number)" }

  static var rows: [String] { targets.indices.map(row) }

  /// A response with these rows.
  static func body(_ rows: [String] = rows, more: String = "") -> String {
    "{\"actor\":\"\(actor)\",\"relationships\":[\(rows.joined(separator: ","))]\(more)}"
  }

  /// A response whose first row is wrong.
  static func body(first: String) -> String { body([first] + rows.dropFirst()) }

  /// Expects that all lookups failed: each row is an error that names the method and the path.
  ///
  /// - Parameters:
  ///   - cause: the code of the underlying error; nil if the response is valid but does not match the
  ///     request.
  ///   - path: the path in the response, or a prefix of it.
  func expectNothing(
    _ cause: String?, at path: String = "", status: Int32 = 76, _ place: SourceLocation = #_sourceLocation
  ) {
    expectOrder(status, place)
    let wrong = rows.first { !$0.isFault(at: path) }
    #expect(wrong == nil, sourceLocation: place)
    expectFault(of: rows.count, cause, at: path, place)
  }

  /// Expects that all rows are right except the first, which names the method and the path.
  func expectOnlyFirstFails(at path: String, _ place: SourceLocation = #_sourceLocation) {
    expectOrder(76, place)
    #expect(rows.first?.isFault(at: path) == true, "\(String(describing: rows.first))", sourceLocation: place)
    expectFault(of: 1, nil, at: path, place)
    let wrong = rows.enumerated().dropFirst().first { number, row in
      row.state != "known" || row.following != Self.edge(number)
    }
    #expect(wrong == nil, sourceLocation: place)
  }

  /// Expects a row for each target in order, bounded memory, and harmless messages.
  private func expectOrder(_ status: Int32, _ place: SourceLocation) {
    #expect(self.status == status, "\(messages)", sourceLocation: place)
    #expect(rows.map(\.target) == Self.targets, "\(rows.count) rows", sourceLocation: place)
    #expect(peak < Self.mostMebibytes, sourceLocation: place)
    let text = messages.map(\.text).joined()
    #expect(text.utf8.count < 4_096, "\(text)", sourceLocation: place)
    #expect(
      !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }, "\(text)", sourceLocation: place)
  }

  /// Expects the message about failed lookups.
  private func expectFault(of count: Int, _ cause: String?, at path: String, _ place: SourceLocation) {
    let message = messages.first { $0.code == "lookupsFailed" }
    #expect(message?.number("count") == Int64(count), "\(messages)", sourceLocation: place)
    let first = message?["first"]
    if cause == nil { #expect(first?["code"] == "relationship.invalidResponse", sourceLocation: place) }
    #expect(first?["cause"]?.string == cause, "\(messages)", sourceLocation: place)
    let found = first?["path"]?.string ?? ""
    #expect(found.hasPrefix(path), "\(messages)", sourceLocation: place)
  }
}
