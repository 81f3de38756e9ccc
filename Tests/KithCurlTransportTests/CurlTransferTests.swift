// SPDX-License-Identifier: Apache-2.0

import KithClient
import TestSupport
import Testing

@testable import KithCurlTransport

@Suite struct CurlTransferTests {
  /// A streamed transfer whose request was sent; times are seconds since its start.
  private final class Probe {
    let start = ContinuousClock.now
    let buffer = CurlBodyBuffer()
    var transfer: CurlTransfer

    init(_ limits: TransportRequest.Limits) throws {
      let exchange = try CurlExchange(.get("a.test", limits: limits), ProxyRules(.none))
      transfer = CurlTransfer(exchange, .stream(buffer), at: start)
      _ = transfer.willSend(to: nil, at: start)
    }

    /// Receives as many bytes as may wait for the reader.
    func receive(at seconds: Int) -> CurlTransfer.Receipt {
      [UInt8](repeating: 0, count: CurlBodyQueue.bound).withUnsafeBytes {
        transfer.receiveBody($0, announced: 0, at: start + .seconds(seconds))
      }
    }

    func resume(at seconds: Int) { transfer.resume(at: start + .seconds(seconds)) }

    func isOverdue(at seconds: Int) -> Bool {
      transfer.isOverdue(bytesMoved: 0, at: start + .seconds(seconds))
    }
  }

  @Test func noLimitRunsWhileTheReaderLetsTheAnswerWait() throws {
    let probe = try Probe(.init(stall: .seconds(10), total: .seconds(60)))
    #expect(probe.receive(at: 1) == .taken)
    #expect(probe.transfer.nextCheck(after: probe.start) == probe.start + .seconds(11))
    #expect(probe.receive(at: 5) == .notYet)
    #expect(probe.transfer.nextCheck(after: probe.start + .seconds(5)) == nil)

    probe.resume(at: 1005)
    #expect(probe.transfer.nextCheck(after: probe.start) == probe.start + .seconds(1015))
    #expect(!probe.isOverdue(at: 1014))
    #expect(probe.isOverdue(at: 1015))
  }

  @Test func theTotalCountsTheTimeInWhichBytesCouldFlow() async throws {
    let probe = try Probe(.init(stall: .seconds(100), total: .seconds(60)))
    #expect(probe.receive(at: 20) == .taken)
    #expect(probe.receive(at: 30) == .notYet)
    _ = await probe.buffer.next()
    probe.resume(at: 130)
    #expect(probe.receive(at: 130) == .taken)
    #expect(!probe.isOverdue(at: 159))
    #expect(probe.isOverdue(at: 160))
    #expect(probe.transfer.failure?.code == .timedOut)
  }

  @Test func aPieceThatHasToWaitCountsOnce() async throws {
    let probe = try Probe(.init(responseBytes: 2 * CurlBodyQueue.bound))
    #expect(probe.receive(at: 0) == .taken)
    #expect(probe.receive(at: 0) == .notYet)
    _ = await probe.buffer.next()
    probe.resume(at: 0)
    #expect(probe.receive(at: 0) == .taken)
    #expect(probe.receive(at: 0) == .refused)
    #expect(probe.transfer.failure?.code == .responseTooLarge)
  }
}
