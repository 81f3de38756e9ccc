// SPDX-License-Identifier: Apache-2.0

import KithClient
import Testing

@testable import KithCurlTransport

@Suite struct CurlBodyQueueTests {
  private struct Fault: Error {}

  private final class Probe {
    var queue = CurlBodyQueue()

    func receive(_ count: Int) -> Bool {
      [UInt8](repeating: 7, count: count).withUnsafeBytes { queue.receive($0) }
    }

    func stop() -> Bool { queue.stop() }

    /// Describes what was taken.
    func dequeue() -> String {
      switch queue.dequeue() {
      case .head(let head): "head \(String(decoding: head, as: UTF8.self))"
      case .bytes(let bytes, let resume): "\(bytes.count) bytes" + (resume ? ", resume" : "")
      case .end(.success): "end"
      case .end(.failure(let error)): "\(type(of: error))"
      case .nothing: "nothing"
      }
    }
  }

  private let probe = Probe()

  @Test func givesHeadBytesAndEndInTheirOrder() {
    #expect(probe.dequeue() == "nothing")
    probe.queue.receiveHead(Array("HTTP/1.1 200".utf8))
    #expect(probe.receive(3))
    #expect(probe.receive(4))
    probe.queue.end(.failure(Fault()), .init(bytesReceived: 99))
    #expect(probe.dequeue() == "head HTTP/1.1 200")
    #expect(probe.dequeue() == "7 bytes")
    #expect(probe.dequeue() == "Fault")
    #expect(probe.dequeue() == "Fault")
    #expect(probe.queue.metrics.bytesReceived == 99)
  }

  @Test func stopsTheSenderAtTheBound() {
    #expect(probe.receive(CurlBodyQueue.bound - 1))
    #expect(probe.receive(100))
    #expect(!probe.receive(1))
    #expect(probe.dequeue() == "\(CurlBodyQueue.bound + 99) bytes, resume")
    #expect(probe.receive(1))
    #expect(probe.dequeue() == "1 bytes")
  }

  @Test func forgetsEverythingWhenStopped() {
    probe.queue.receiveHead([1])
    #expect(probe.receive(3))
    #expect(probe.stop())
    #expect(probe.dequeue() == "CancellationError")
    #expect(probe.receive(3))
    probe.queue.end(.success(()), .init())
    #expect(probe.dequeue() == "CancellationError")
    #expect(!probe.stop())
  }

  @Test func reportsAnEarlyEndIfStoppedBeforeTheLastBytes() {
    #expect(probe.receive(3))
    probe.queue.end(.success(()), .init())
    #expect(!probe.stop())
    #expect(probe.dequeue() == "CancellationError")
  }

  @Test func reportsAnEarlyEndIfStoppedBeforeTheHeadWasRead() {
    probe.queue.receiveHead([1])
    probe.queue.end(.success(()), .init())
    #expect(!probe.stop())
    #expect(probe.dequeue() == "CancellationError")
  }

  @Test func staysEndedWhenStoppedAfterTheEnd() {
    probe.queue.end(.success(()), .init())
    #expect(probe.dequeue() == "end")
    #expect(!probe.stop())
    #expect(probe.dequeue() == "end")
  }
}
