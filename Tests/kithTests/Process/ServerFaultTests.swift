// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

/// Server errors, as reported by the command.
@Suite struct ServerFaultTests {
  private static let alice = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"
  private static let bob = "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb"

  private static let profiles =
    #"{"profiles":[{"did":"\#(alice)","handle":"alice.test"},{"did":"\#(bob)","handle":"bob.test"}]}"#

  /// Checks bob against a server that resolves both accounts and answers every other request like this; an
  /// error status applies to all requests.
  private func check(_ body: String, status: String = "200 OK", fields: String = "") async throws -> KithRun {
    let server = try BluntServer { request in
      status == "200 OK" && request.head.contains("getProfiles")
        ? BluntServer.answer(Self.profiles) : BluntServer.answer(body, status: status, fields: fields)
    }
    let run = try await KithRun.inside([
      "check", Self.alice, Self.bob, "--is", "following", "--appview", server.url,
    ])
    withExtendedLifetime(server) {}
    return run
  }

  @Test(
    arguments: [
      ("<html>Welcome</html>", "json.malformed", nil), ("", "json.malformed", nil),
      ("{\"actor\":\"\(alice)\",\"relationships\":[]}", nil, "relationships"),
      ("{\"actor\":\"\(bob)\",\"relationships\":[]}", nil, "actor"),
      (
        "{\"actor\":\"\(alice)\",\"relationships\":[{\"$type\":\"app.bsky.graph.defs#relationship\",\"did\":\"\(alice)\"}]}",
        nil, "relationships[0].did"
      ),
      ("{\"actor\":\"absent\",\"relationships\":[]}", "lexicon.mismatch", "actor"),
    ] as [(String, String?, String?)])
  func aProtocolErrorIsNotANo(body: String, cause: String?, path: String?) async throws {
    let run = try await check(body)
    #expect(run.status == 76)
    let message = try #require(try run.message("relationship.invalidResponse"))
    #expect(message.text("cause") == cause && message.text("path") == path)
    #expect(run.output.contains("\"state\":\"error\""))
  }

  @Test func bytesThatAreNotHTTPBreakTheProtocol() async throws {
    let server = try BluntServer { _ in "SSH-2.0-OpenSSH_9.2\r\n" }
    let run = try await KithRun.inside(["check", Self.alice, Self.bob, "--appview", server.url])
    withExtendedLifetime(server) {}
    #expect(run.status == 76)
    #expect(try run.messages.first?.text("cause") == "transport.malformedResponse")
  }

  @Test func aRateLimitReportsWhenToRetry() async throws {
    let run = try await check(
      "{\"error\":\"RateLimitExceeded\",\"message\":\"slow down\"}", status: "429 Too Many Requests",
      fields: "Retry-After: 900\r\n")
    #expect(run.status == 75)
    let message = try #require(try run.message("relationship.rateLimited"))
    #expect(message.number("httpStatus") == 429 && message.text("name") == "RateLimitExceeded")
    #expect(message.number("retryAfterMilliseconds") == 900_000)
  }

  @Test func aRateLimitedDirectoryReportsWhenToRetry() async throws {
    let server = try BluntServer { _ in
      BluntServer.answer("", status: "429 Too Many Requests", fields: "Retry-After: 900\r\n")
    }
    let run = try await KithRun.inside(["resolve", Self.alice, "--plc", server.url, "--appview", server.url])
    #expect(run.status == 75)
    #expect(try run.message("identity.rateLimited")?.number("retryAfterMilliseconds") == 900_000)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [
    ("404 Not Found", 69), ("501 Not Implemented", 69), ("401 Unauthorized", 77), ("403 Forbidden", 77),
  ])
  func aRefusalIsNotANo(status: String, exit: Int32) async throws {
    let run = try await check("<h1>go\u{1B}[2J away</h1>", status: status)
    #expect(run.status == exit)
    #expect(try run.messages.first?.text.contains("<h1>go\u{FFFD}[2J away</h1>") == true)
  }

  @Test func aMissingActorIsNotFound() async throws {
    let absent = #"{"$type":"app.bsky.graph.defs#notFoundActor","actor":"\#(Self.bob)","notFound":true}"#
    let run = try await check("{\"relationships\":[\(absent)]}")
    #expect(run.status == 67)
    #expect(run.output == "")
    #expect(try run.codes == ["relationship.actorNotFound"])
    #expect(try run.messages.first?.text("subject") == Self.alice)
  }

  @Test func xrpcPrintsTheResponseUnchanged() async throws {
    let server = try BluntServer { request in
      BluntServer.answer(request.head.hasPrefix("POST") ? request.body : "raw\u{1B}bytes")
    }
    let service = ["--service", server.url]
    let query = try await KithRun.inside(
      ["xrpc", "query", "com.example.get", "a=1", "a=2", "b=x y&z"] + service)
    #expect(query.status == 0)
    #expect(query.output == "raw\u{1B}bytes")
    #expect(server.requests[0].head.hasPrefix("GET /xrpc/com.example.get?a=1&a=2&b=x%20y%26z HTTP/1.1\r\n"))
    let call = try await KithRun.inside(
      ["xrpc", "procedure", "com.example.do", "--input", "-"] + service, input: "{\"a\":1}")
    #expect(call.output == "{\"a\":1}\n")
    for (words, status) in [
      (["query", "nodots"], Int32(65)), (["query", "com.example.get", "novalue"], 64),
      (["query", "com.example.get", "--proxy", "x"], 65),
    ] {
      let run = try await KithRun.inside(["xrpc"] + words + service)
      #expect(run.status == status)
      #expect(run.output == "")
    }
    #expect(server.requests.count == 2)
  }

  @Test func xrpcPrintsTheStartOfABrokenResponse() async throws {
    let server = try BluntServer { _ in
      "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.ipld.car\r\nContent-Length: 10\r\n\r\n12345"
    }
    let run = try await KithRun.inside(["xrpc", "query", "com.example.get", "--service", server.url])
    #expect(run.status == 69)
    #expect(run.output == "12345")
    let message = try #require(try run.message("xrpc.transport"))
    #expect(message.text("method") == "com.example.get" && message.text("service") == server.url)
    #expect(message.text("cause") == "transport.truncatedBody")
    #expect(server.requests.count == 1)
  }

  @Test func xrpcRetriesBrokenJSON() async throws {
    let fields = "Content-Type: application/json; charset=utf-8\r\n"
    let first = PosixMutex(true)
    let server = try BluntServer { _ in
      let isFirst = first.withLock { first in
        defer { first = false }
        return first
      }
      return isFirst
        ? "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 10\r\n\r\n{\"a\""
        : BluntServer.answer("{\"a\":1}", fields: fields)
    }
    let run = try await KithRun.inside(["xrpc", "query", "com.example.get", "--service", server.url])
    #expect(run.status == 0)
    #expect(run.output == "{\"a\":1}\n")
    #expect(server.requests.count == 2)
  }
}
