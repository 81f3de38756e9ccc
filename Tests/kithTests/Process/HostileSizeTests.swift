// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// Responses of a few kilobytes on the wire that contain millions of elements, from every untrusted server.
@Suite struct HostileSizeTests {
  private static let actor = HostileRun.actor

  /// `5,5,5…`: four million elements.
  private static let fives = [UInt8](String(repeating: "5,", count: 4_000_000).utf8) + [UInt8(ascii: "5")]

  private static func list(_ before: String, _ after: String) -> [UInt8] {
    Array(before.utf8) + fives + Array(after.utf8)
  }

  /// AppView, PLC directory and PDS at one origin. Bodies may reach the size limit of any method.
  private static func server(_ answers: [String: [UInt8]]) throws -> HostileServer {
    try HostileServer { head, connection in
      if let answer = answers.first(where: { head.contains($0.key) })?.value {
        return connection.answer(answer)
      }
      guard head.hasPrefix("GET /did:"), let host = head.firstMatch(of: /(?i)\r\nhost: ([^\r]+)/)?.1 else {
        return connection.answer(
          #"{"error":"InvalidRequest","message":"not found"}"#, status: "400 Bad Request")
      }
      connection.answer(
        """
        {"id":"\(actor)","service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer",\
        "serviceEndpoint":"http://\(host)"}]}
        """)
    }
  }

  private static func run(_ arguments: [String], _ answers: [String: [UInt8]]) async throws -> MeasuredRun {
    let server = try server(answers)
    defer { withExtendedLifetime(server) {} }
    return try await MeasuredRun(
      arguments, environment: ["KITH_APPVIEW": server.url, "ATP_PLC_HOST": server.url])
  }

  /// As many elements as the size limit allows, so another limit has to apply.
  private static func short(_ before: String, _ after: String, mebibytes: Double) -> [UInt8] {
    Array(before.utf8) + fives.prefix(Int(mebibytes * 1_048_576) / 2 * 2 - 201) + Array(after.utf8)
  }

  @Test(arguments: [0.25, 8.0]) func unrequestedRelationshipsAreNotRead(
    mebibytes: Double
  ) async throws {
    let answer = Self.short(#"{"actor":"\#(Self.actor)","relationships":["#, "]}", mebibytes: mebibytes)
    let run = try await Self.run(
      ["check", Self.actor, HostileRun.targets[0], HostileRun.targets[1]], ["getRelationships": answer])
    run.expect(76)
    let message = try #require(run.messages.first { $0.code == "lookupsFailed" })
    let cause = mebibytes < 1 ? "json.tooLarge" : "transport.responseTooLarge"
    #expect(message["first"]?["cause"]?.string == cause, "\(run.messages)")
    #expect(message["first"]?["method"]?.string == "app.bsky.graph.getRelationships")
  }

  @Test func unrequestedRecordsAreNotRead() async throws {
    let answer = Self.short(#"{"records":["#, "]}", mebibytes: 2)
    let run = try await Self.run(["starter-packs", "--of", Self.actor], ["listRecords": answer])
    run.expect(76)
    #expect(run.messages.contains { $0.text("cause") == "json.tooLarge" }, "\(run.messages)")
  }

  @Test func aRecordOfManyValuesIsNotRead() async throws {
    let uri = "at://\(Self.actor)/app.bsky.graph.starterpack/x"
    let answer = Self.short(
      #"{"uri":"\#(uri)","value":{"$type":"app.bsky.graph.starterpack","x":["#, "]}}", mebibytes: 0.25)
    let run = try await Self.run(["starter-packs", "show", uri], ["getRecord": answer])
    run.expect(76)
    #expect(run.messages.contains { $0.text("cause") == "json.tooLarge" }, "\(run.messages)")
  }

  @Test func atMostAHundredMalformedRecordsAreReported() async throws {
    let rows = Array(repeating: "5", count: 400).joined(separator: ",")
    let run = try await Self.run(
      ["starter-packs", "--of", Self.actor], ["listRecords": Array(#"{"records":[\#(rows)]}"#.utf8)])
    let told = run.messages.filter { $0.code == "unreadableRecord" }
    #expect(told.count == 101)
    #expect(told.last?.number("count") == 300)
    run.expect(run.status)
  }
}
