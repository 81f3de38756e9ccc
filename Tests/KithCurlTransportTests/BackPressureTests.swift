// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCurlTransport
import Synchronization
import TestSupport
import Testing

@Suite struct BackPressureTests {
  /// A server of one large response, which reports when the client stops reading, and of many small ones.
  private final class Flood: Sendable {
    static let size = 64 << 20
    static let block = (0..<(64 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    let stuckAt: AsyncStream<Int>
    let server: ScriptedServer
    private let isFree: FreeFlow
    private let retry: AsyncStream<Void>.Continuation

    private final class FreeFlow: Sendable { let flag = Atomic(false) }

    init() throws {
      let (stuckAt, stuck) = AsyncStream.makeStream(of: Int.self)
      let (retries, retry) = AsyncStream.makeStream(of: Void.self)
      let isFree = FreeFlow()
      server = try ScriptedServer { connection in
        while let request = connection.readRequest() {
          guard request.target == "/large" else {
            connection.answer("ok")
            continue
          }
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n")
          var sent = 0
          while sent < Self.size {
            let start = sent % Self.block.count
            let piece = Array(Self.block[start...])
            if isFree.flag.load(ordering: .acquiring) {
              guard connection.write(piece) else { return }
              sent += piece.count
              continue
            }
            let count = connection.writeWhatFits(piece)
            sent += count
            if count == 0 {
              stuck.yield(sent)
              blockUntilNext(retries)
            }
          }
          stuck.yield(sent)
        }
      }
      self.stuckAt = stuckAt
      self.retry = retry
      self.isFree = isFree
    }

    func tryAgain() { retry.yield() }

    func flowFreely() {
      isFree.flag.store(true, ordering: .releasing)
      retry.yield()
    }
  }

  let transport = CurlTransport.direct()

  /// Small responses in between make the loop poll all its sockets, including that of the large response.
  private func bytesSentToAReaderWhoWaits(_ flood: Flood) async throws -> Int {
    var events = flood.stuckAt.makeAsyncIterator()
    var (before, sent) = (-1, await events.next() ?? 0)
    while sent > before, sent < Flood.size {
      for _ in 0..<32 {
        let small = try await transport.open(.get(flood.server.authority, "/small"))
        #expect(try await small.body.collect(upTo: 10) == Array("ok".utf8))
      }
      before = sent
      flood.tryAgain()
      sent = await events.next() ?? 0
    }
    return sent
  }

  @Test func stopsTheSenderAndLosesNothing() async throws {
    let flood = try Flood()
    let limits = TransportRequest.Limits(responseBytes: Flood.size)
    let large = try await transport.open(.get(flood.server.authority, "/large", limits: limits))
    // The system's own buffers are added to the transport's.
    #expect(try await bytesSentToAReaderWhoWaits(flood) < 16 << 20)
    flood.flowFreely()
    let before = try Self.residentBytes()
    var (count, largestChunk, most) = (0, 0, 0)
    var isIntact = true
    for try await chunk in large.body {
      isIntact = isIntact && Self.isOfTheFlood(chunk, at: count)
      count += chunk.count
      largestChunk = max(largestChunk, chunk.count)
      most = max(most, try Self.residentBytes())
    }
    #expect(count == Flood.size)
    #expect(isIntact)
    #expect(largestChunk <= 300 << 10)
    // A sanitizer delays freeing memory.
    let bound = ProcessInfo.processInfo.environment["KITH_SANITIZER"] == nil ? 24 << 20 : 512 << 20
    #expect(most - before < bound)
    #expect(large.body.metrics.bytesReceived > Flood.size)
  }

  @Test func leavesOtherExchangesAlone() async throws {
    let flood = try Flood()
    let limits = TransportRequest.Limits(responseBytes: Flood.size)
    var waiting: [TransportStream] = []
    for _ in 0..<4 {
      waiting.append(try await transport.open(.get(flood.server.authority, "/large", limits: limits)))
    }
    for _ in 0..<20 { #expect(try await transport.get(flood.server, "/small").text == "ok") }
    #expect(waiting.allSatisfy { $0.head.status == .ok })
    waiting = []
    flood.flowFreely()
  }

  private static func isOfTheFlood(_ chunk: [UInt8], at offset: Int) -> Bool {
    chunk.withUnsafeBytes { chunk in
      Flood.block.withUnsafeBytes { block in
        var (done, place) = (0, offset % block.count)
        while done < chunk.count {
          let count = min(chunk.count - done, block.count - place)
          guard let one = chunk.baseAddress, let other = block.baseAddress,
            memcmp(one + done, other + place, count) == 0
          else { return false }
          (done, place) = (done + count, 0)
        }
        return true
      }
    }
  }

  private static func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
  }
}
