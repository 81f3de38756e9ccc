// SPDX-License-Identifier: Apache-2.0

import KithClient
import TestSupport
import Testing

@testable import KithCurlTransport

@Suite struct CurlWatchdogTests {
  private static func frame(
    _ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8] = []
  ) -> [UInt8] {
    [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
  }

  /// Speaks HTTP/2 without TLS: answers the first request with status 200, then sends frames without data as
  /// fast as it can. Without a watchdog the client reads them for ever.
  private static func flood(_ frame: [UInt8]) throws -> ScriptedServer {
    try ScriptedServer { connection in
      connection.waitForBytes()
      connection.write(Self.frame(4, 0, 0) + Self.frame(4, 1, 0))
      connection.write(Self.frame(1, 4, 1, [0x88]))
      let frames = [UInt8](Array(repeating: frame, count: 100_000).joined())
      while connection.write(frames) {}
    }
  }

  /// A transport with a watchdog that is in a hurry.
  private static func transport() -> CurlTransport {
    var configuration = CurlTransport.Configuration(proxy: .none)
    configuration.speaksHTTP2WithoutTLS = true
    configuration.longestCall = .milliseconds(20)
    return CurlTransport(configuration)
  }

  /// Empty DATA, and PING.
  @Test(.timeLimit(.minutes(1)), arguments: [frame(0, 0, 1), frame(6, 1, 0, [1, 2, 3, 4, 5, 6, 7, 8])])
  func endsAFloodOfFramesWithoutData(frame: [UInt8]) async throws {
    let transport = Self.transport()
    let server = try Self.flood(frame)
    let code = await code { try await transport.get(server) }
    #expect(code == .timedOut)
  }

  /// Other exchanges of the same loop wait until the flood is ended, and are then served.
  @Test(.timeLimit(.minutes(1))) func servesOthersBesideAFlood() async throws {
    let transport = Self.transport()
    let flood = try Self.flood(Self.frame(0, 0, 1))
    let sound = try ScriptedServer { connection in
      connection.waitForBytes()
      connection.write(Self.frame(4, 0, 0) + Self.frame(4, 1, 0))
      connection.write(Self.frame(1, 4, 1, [0x88]) + Self.frame(0, 1, 1, [111, 107]))
      connection.waitForClose()
    }
    async let hostile = code { try await transport.get(flood) }
    let answer = try await transport.get(
      sound, limits: .init(connect: .seconds(60), stall: .seconds(60), total: .seconds(60)))
    #expect(answer.text == "ok")
    #expect(await hostile == .timedOut)
  }

  // MARK: The decision

  private var watch = CurlCallWatch(longestCall: .milliseconds(500))

  init() {
    for socket in [7, 8, 9] as [Int32] { watch.opened(socket) }
  }

  @Test mutating func cutsTheSocketOfALongCall() {
    watch.began(8)
    #expect(watch.sample(processorTime: .seconds(1)).isEmpty)
    #expect(watch.sample(processorTime: .milliseconds(1_499)).isEmpty)
    #expect(!watch.isCut)
    #expect(watch.sample(processorTime: .milliseconds(1_500)) == [8])
    #expect(watch.isCut)
  }

  @Test mutating func cutsAllIfTheCallContinues() {
    watch.began(8)
    _ = watch.sample(processorTime: .zero)
    _ = watch.sample(processorTime: .seconds(1))
    #expect(watch.sample(processorTime: .milliseconds(1_100)).isEmpty)
    #expect(watch.sample(processorTime: .seconds(2)) == [7, 8, 9])
  }

  @Test mutating func cutsAllInACallOfATimer() {
    watch.began(nil)
    _ = watch.sample(processorTime: .zero)
    #expect(watch.sample(processorTime: .seconds(1)) == [7, 8, 9])
  }

  @Test mutating func leavesClosedSocketsAlone() {
    watch.closed(8)
    watch.began(8)
    _ = watch.sample(processorTime: .zero)
    #expect(watch.sample(processorTime: .seconds(1)) == [7, 9])
  }

  /// Many short calls use as much time, but none of them is long.
  @Test mutating func cutsNoneOfManyShortCalls() {
    for second in 0..<10 {
      watch.began(8)
      #expect(watch.sample(processorTime: .seconds(second)).isEmpty)
      watch.ended()
    }
    #expect(!watch.isCut)
  }

  /// A thread that waits for the processor uses none, however long its call takes.
  @Test mutating func cutsNothingWhileTheThreadWaits() {
    watch.began(8)
    for _ in 0..<100 { #expect(watch.sample(processorTime: .seconds(5)).isEmpty) }
  }

  @Test mutating func isQuietOnceNoCallHasBegun() {
    watch.began(8)
    _ = watch.sample(processorTime: .zero)
    #expect(!watch.isQuiet)
    watch.ended()
    _ = watch.sample(processorTime: .zero)
    #expect(watch.isQuiet)
    watch.began(nil)
    watch.ended()
    _ = watch.sample(processorTime: .zero)
    #expect(!watch.isQuiet)
  }
}
