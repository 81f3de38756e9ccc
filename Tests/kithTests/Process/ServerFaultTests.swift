// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import TestSupport
import Testing

/// What servers do wrong, seen through the command.
@Suite struct ServerFaultTests {
  private static let alice = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"
  private static let bob = "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb"

  /// Checks bob against a server that answers every request so.
  private func check(_ body: String, status: String = "200 OK", fields: String = "") async throws -> KithRun {
    let server = try BluntServer { _ in BluntServer.answer(body, status: status, fields: fields) }
    let run = try await KithRun([
      "check", Self.alice, Self.bob, "--is", "following", "--appview", server.url,
    ])
    withExtendedLifetime(server) {}
    return run
  }

  @Test(arguments: [
    ("<html>Welcome</html>", "is no sound JSON"), ("", "is no sound JSON"),
    ("{\"actor\":\"\(alice)\",\"relationships\":[]}", "0 rows for 1 targets"),
    (
      "{\"actor\":\"\(bob)\",\"relationships\":[]}", "it is \(bob), asked was \(alice)"
    ),
    (
      "{\"actor\":\"\(alice)\",\"relationships\":[{\"$type\":\"app.bsky.graph.defs#relationship\",\"did\":\"\(alice)\"}]}",
      "it is \(alice), asked was \(bob)"
    ),
    ("{\"actor\":\"nobody\",\"relationships\":[]}", "does not fit the lexicon"),
  ])
  func anAnswerThatBreaksTheProtocolIsNoNo(body: String, talk: String) async throws {
    let run = try await check(body)
    #expect(run.status == 76)
    #expect(run.talk.contains(talk))
    #expect(run.output.contains("\"state\":\"error\""))
  }

  @Test func bytesThatAreNotHTTPBreakTheProtocol() async throws {
    let server = try BluntServer { _ in "SSH-2.0-OpenSSH_9.2\r\n" }
    let run = try await KithRun(["check", Self.alice, Self.bob, "--appview", server.url])
    withExtendedLifetime(server) {}
    #expect(run.status == 76)
    #expect(run.talk.contains("the answer is malformed"))
  }

  @Test func aRateLimitSaysWhenToComeAgain() async throws {
    let run = try await check(
      "{\"error\":\"RateLimitExceeded\",\"message\":\"slow down\"}", status: "429 Too Many Requests",
      fields: "Retry-After: 900\r\n")
    #expect(run.status == 75)
    #expect(run.talk.contains("429 RateLimitExceeded: slow down; try again in 15 min\n"))
  }

  @Test func aDirectoryThatIsAskedTooOftenSaysWhenToComeAgain() async throws {
    let server = try BluntServer { _ in
      BluntServer.answer("", status: "429 Too Many Requests", fields: "Retry-After: 900\r\n")
    }
    let run = try await KithRun(["resolve", Self.alice, "--plc", server.url, "--appview", server.url])
    #expect(run.status == 75)
    #expect(run.talk.hasSuffix("; try again in 15 min\n"))
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [
    ("404 Not Found", 69), ("501 Not Implemented", 69), ("401 Unauthorized", 77), ("403 Forbidden", 77),
  ])
  func aRefusalIsNoNo(status: String, exit: Int32) async throws {
    let run = try await check("<h1>go\u{1B}[2J away</h1>", status: status)
    #expect(run.status == exit)
    #expect(run.talk.contains("<h1>go\u{FFFD}[2J away</h1>"))
  }

  @Test func anActorThatNobodyIsIsNotFound() async throws {
    let absent = #"{"$type":"app.bsky.graph.defs#notFoundActor","actor":"\#(Self.bob)","notFound":true}"#
    let run = try await check("{\"relationships\":[\(absent)]}")
    #expect(run.status == 67)
    #expect(run.output == "")
    #expect(run.talk == "kith: \(Self.alice): no such account\n")
  }

  @Test func xrpcGivesTheAnswerAsItCame() async throws {
    let server = try BluntServer { request in
      BluntServer.answer(request.head.hasPrefix("POST") ? request.body : "raw\u{1B}bytes")
    }
    let service = ["--service", server.url]
    let query = try await KithRun(["xrpc", "query", "com.example.get", "a=1", "a=2", "b=x y&z"] + service)
    #expect(query.status == 0)
    #expect(query.output == "raw\u{1B}bytes")
    #expect(server.requests[0].head.hasPrefix("GET /xrpc/com.example.get?a=1&a=2&b=x%20y%26z HTTP/1.1\r\n"))
    let call = try await KithRun(
      ["xrpc", "procedure", "com.example.do", "--input", "-"] + service, input: "{\"a\":1}")
    #expect(call.output == "{\"a\":1}\n")
    for (words, status) in [
      (["query", "nodots"], Int32(65)), (["query", "com.example.get", "novalue"], 64),
      (["query", "com.example.get", "--proxy", "x"], 65),
    ] {
      let run = try await KithRun(["xrpc"] + words + service)
      #expect(run.status == status)
      #expect(run.output == "")
    }
    #expect(server.requests.count == 2)
  }

  @Test func xrpcPrintsWhatCameBeforeAnAnswerBrokeOff() async throws {
    let server = try BluntServer { _ in
      "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.ipld.car\r\nContent-Length: 10\r\n\r\n12345"
    }
    let run = try await KithRun(["xrpc", "query", "com.example.get", "--service", server.url])
    #expect(run.status == 69)
    #expect(run.output == "12345")
    #expect(run.talk.contains("com.example.get at \(server.url): the answer broke off"))
    #expect(server.requests.count == 1)
  }

  @Test func xrpcAsksAgainForJSONThatBrokeOff() async throws {
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
    let run = try await KithRun(["xrpc", "query", "com.example.get", "--service", server.url])
    #expect(run.status == 0)
    #expect(run.output == "{\"a\":1}\n")
    #expect(server.requests.count == 2)
  }
}
