// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import Testing

@testable import KithURLSessionTransport

@Suite struct URLSessionTransferTests {
  private func transfer(_ limits: TransportRequest.Limits = .init()) -> URLSessionTransfer {
    URLSessionTransfer(host: "a.test", limits: limits, unreadLimit: 10, bodySent: 0, at: .seconds(100))
  }

  private func failure(_ transfer: inout URLSessionTransfer) -> TransportError.Code? {
    while true {
      switch transfer.dequeue() {
      case .end(.failure(let error)): return (error as? TransportError)?.code
      case .end(.success), .nothing: return nil
      case .head, .bytes: continue
      }
    }
  }

  @Test func waitsForTheFirstByteAsLongAsBothLimits() {
    var transfer = transfer(.init(connect: .seconds(10), stall: .seconds(15)))
    #expect(transfer.checkLimits(at: .seconds(100)) == .seconds(15))
    #expect(transfer.checkLimits(at: .seconds(124)) == .seconds(1))
    #expect(transfer.checkLimits(at: .seconds(125)) == nil)
    #expect(failure(&transfer) == .timedOut)
  }

  @Test func countsAStallFromTheLastByte() {
    var transfer = transfer(.init(stall: .seconds(15)))
    transfer.sent(at: .seconds(102))
    #expect(transfer.checkLimits(at: .seconds(110)) == .seconds(7))
    transfer.receive(HTTPResponse(status: .ok), at: .seconds(110))
    transfer.receive([1], at: .seconds(120))
    #expect(transfer.checkLimits(at: .seconds(134)) == .seconds(1))
    #expect(transfer.checkLimits(at: .seconds(135)) == nil)
    #expect(failure(&transfer) == .timedOut)
  }

  @Test func endsAtTheTotal() {
    var transfer = transfer(.init(total: .seconds(60)))
    transfer.receive(HTTPResponse(status: .ok), at: .seconds(159))
    #expect(transfer.checkLimits(at: .seconds(159)) == .seconds(1))
    #expect(transfer.checkLimits(at: .seconds(160)) == nil)
    #expect(failure(&transfer) == .timedOut)
    #expect(transfer.metrics.elapsed == .seconds(60))
  }

  @Test func hasNoLimitsAfterItsEnd() {
    var transfer = transfer()
    transfer.end(.success(()), at: .seconds(101))
    #expect(transfer.checkLimits(at: .seconds(1_000)) == nil)
    #expect(failure(&transfer) == nil)
  }

  @Test func boundsWhatWaitsForTheReader() {
    var transfer = transfer()
    transfer.receive(HTTPResponse(status: .ok), at: .seconds(101))
    for _ in 0..<5 {
      transfer.receive([UInt8](repeating: 0, count: 10), at: .seconds(101))
      #expect(!transfer.hasEnded)
      while case .bytes = transfer.dequeue() {}
      while case .head = transfer.dequeue() {}
    }
    while transfer.hasNews { _ = transfer.dequeue() }
    transfer.receive([UInt8](repeating: 0, count: 11), at: .seconds(101))
    #expect(transfer.hasEnded)
    #expect(failure(&transfer) == .responseTooLarge)
  }

  @Test func turnsUnreadBytesIntoACancellation() {
    var transfer = transfer()
    transfer.receive(HTTPResponse(status: .ok), at: .seconds(101))
    transfer.end(.success(()), at: .seconds(101))
    transfer.stop(at: .seconds(102))
    guard case .end(.failure(let error)) = transfer.dequeue() else {
      Issue.record("it did not fail")
      return
    }
    #expect(error is CancellationError)
  }
}
