// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@testable import KithSandbox

@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
  private static let start: Int64 = 1_760_000_000_000_000

  /// A stream with ten events, a second apart.
  private func stream(window: Int = 100, repeats: Int = 0) throws -> EventStream {
    var manners = SandboxStream()
    (manners.window, manners.repeats) = (window, repeats)
    let stream = EventStream(manners)
    for number in 0..<10 { stream.append([.account(.active)], of: try did(number), at: Self.moment(number)) }
    return stream
  }

  private static func moment(_ number: Int) -> Instant {
    Instant(microsecondsSinceEpoch: start) + .seconds(number)
  }

  private func did(_ number: Int) throws -> DID { try DID(parsing: "did:web:n\(number).test") }

  @Test(
    arguments: [
      (0, .at(1, isClamped: false)), (1, .at(1, isClamped: false)), (7, .at(7, isClamped: false)),
      (10, .at(10, isClamped: false)), (11, .live), (5_000, .live),
    ] as [(Int64, EventStream.Start)])
  func aNumberIsInclusive(cursor: Int64, start: EventStream.Start) throws {
    #expect(try stream().start(seq: cursor) == start)
  }

  @Test func aNumberBelowTheWindowIsTooOld() throws {
    let stream = try stream(window: 4)
    #expect(stream.start(seq: 6) == .tooOld(floor: 7) && stream.start(seq: 7) == .at(7, isClamped: false))
    stream.forget()
    #expect(stream.start(seq: 10) == .tooOld(floor: 11) && stream.start(seq: 11) == .live)
  }

  @Test(
    arguments: [
      (0, 100, .at(1, isClamped: false)), (start, 100, .at(1, isClamped: false)),
      (start + 1, 100, .at(2, isClamped: false)), (start + 9_000_000, 100, .at(10, isClamped: false)),
      (start + 9_000_001, 100, .live), (start + 3_600_000_000, 100, .live),
      // Only the last four are there.
      (start, 4, .at(7, isClamped: true)), (start + 6_000_000, 4, .at(7, isClamped: false)),
      (start + 6_000_001, 4, .at(8, isClamped: false)),
    ] as [(Int64, Int, EventStream.Start)])
  func aTimeBeginsWithTheFirstEventAfterIt(cursor: Int64, window: Int, start: EventStream.Start) throws {
    #expect(try stream(window: window).start(microseconds: cursor) == start)
  }

  @Test func aTimeBeforeForgottenEventsIsTooOld() throws {
    let stream = try stream()
    stream.forget()
    #expect(stream.start(microseconds: Self.start + 9_000_000) == .at(11, isClamped: true))
    #expect(stream.start(microseconds: Self.start + 9_000_001) == .live)
    // Another instance does not know what there was.
    stream.restart()
    #expect(stream.start(microseconds: Self.start) == .live)
  }

  @Test func eventsAreRepeatedAsFarAsTheyAreThere() throws {
    let stream = try stream(window: 4, repeats: 2)
    #expect(
      stream.start(seq: 10) == .at(8, isClamped: false) && stream.start(seq: 8) == .at(7, isClamped: false))
  }

  @Test func timesRiseWhateverTheClockSays() async throws {
    let stream = try stream()
    stream.append([.account(.active), .account(.active)], of: try did(1), at: .epoch)
    guard case .events(let events) = try await stream.read(from: 10, in: stream.epoch) else { return }
    #expect(events.map(\.seq) == [10, 11, 12])
    let last = Self.moment(9)
    #expect(events.map(\.moment) == [last, last + .microseconds(1), last + .microseconds(2)])
  }

  @Test func onlyTheWindowIsKept() async throws {
    let stream = try stream(window: 4)
    for number in 0..<1_000 { stream.append([.account(.active)], of: try did(number), at: .epoch) }
    #expect(stream.next == 1_011 && stream.keptCount <= 4 + 16)
    guard case .overtaken = try await stream.read(from: 1_006, in: stream.epoch) else {
      Issue.record("it is still there")
      return
    }
    guard case .events(let events) = try await stream.read(from: 1_007, in: stream.epoch) else { return }
    #expect(events.map(\.seq) == [1_007, 1_008, 1_009, 1_010])
  }

  @Test func eventsOfAnAccountKeepTheirOrder() async throws {
    let stream = EventStream(SandboxStream())
    stream.hold()
    let statuses: [SandboxAccount.Status] = [.deactivated, .active, .suspended, .deleted]
    for status in statuses {
      for number in 0..<3 { stream.append([.account(status)], of: try did(number), at: .epoch) }
    }
    #expect(stream.next == 1)
    stream.release(shuffledBy: 1)
    guard case .events(let events) = try await stream.read(from: 1, in: stream.epoch) else { return }
    #expect(events.map(\.seq) == Array(1...12))
    #expect(events.map(\.did) != (0..<4).flatMap { _ in (0..<3).compactMap { try? did($0) } })
    for number in 0..<3 {
      let own = try events.filter { $0.did == (try did(number)) }
      #expect(
        own.compactMap { if case .account(let status) = $0.kind { status } else { nil } } == statuses)
    }
  }

  @Test func aReaderWaitsForNewsOrItsEnd() async throws {
    let stream = try stream()
    let epoch = stream.epoch
    let reading = Task { try await stream.read(from: 11, in: epoch) }
    stream.append([.account(.active)], of: try did(1), at: .epoch)
    guard case .events(let events) = try await reading.value else { return }
    #expect(events.map(\.seq) == [11])
    let late = Task { try await stream.read(from: 12, in: epoch) }
    stream.restart()
    guard case .over = try await late.value else {
      Issue.record("it goes on")
      return
    }
    #expect(stream.next == 1)
    let cancelled = Task { try await stream.read(from: 1, in: stream.epoch) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }
}
