// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithDashboard

@Suite(.timeLimit(.minutes(1))) final class PictureCacheTests {
  private let root = FileManager.default.temporaryDirectory.appending(
    path: "kith-pictures-\(UUID().uuidString)"
  ).path()
  private let clock = ManualClock()
  private var folder: SecureFolder { SecureFolder(path: "\(root)/pictures") }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func proxy(_ transport: ScriptedTransport, _ cache: PictureCache? = nil) throws -> PictureProxy {
    PictureProxy(
      transport: transport, appview: try ServiceURL(parsing: "https://public.api.bsky.app"),
      cache: cache ?? PictureCache(in: folder), time: clock.timeSource())
  }

  private static func transport() -> ScriptedTransport {
    ScriptedTransport { _ in .file(PictureSamples.png) }
  }

  /// The only file in the folder.
  private func file() throws -> String {
    let names = try folder.names()
    try #require(names.count == 1)
    return folder.path(of: names[0])
  }

  @Test func aPictureIsAskedForOnceIfItsAddressNamesItsContent() async throws {
    let transport = Self.transport()
    #expect(try await proxy(transport).picture(at: PictureSamples.avatar).bytes == PictureSamples.png)
    let again = try await proxy(transport).picture(at: PictureSamples.avatar)
    #expect(again.bytes == PictureSamples.png && again.mimeType == "image/png")
    #expect(transport.requests.count == 1)
    #expect(try folder.read(folder.names()[0], limit: 1_000) == PictureSamples.png)
  }

  @Test func equalRequestsInFlightAreOne() async throws {
    let turnstile = Turnstile(isOpen: false)
    let proxy = try proxy(ScriptedTransport(turnstile: turnstile) { _ in .file(PictureSamples.png) })
    let callers = (0..<21).map { _ in Task { try await proxy.picture(at: PictureSamples.avatar) } }
    await turnstile.untilArrived(1)
    callers[20].cancel()
    await #expect(throws: PictureFault.self) { try await callers[20].value }
    turnstile.open()
    // One that comes after the response finds it in the cache.
    for caller in callers.dropLast() { #expect(try await caller.value.bytes == PictureSamples.png) }
    #expect(turnstile.arrivals == 1)
  }

  @Test func aPictureThatMayChangeIsNotKept() async throws {
    let transport = Self.transport()
    let proxy = try proxy(transport)
    for _ in 0..<2 { _ = try await proxy.picture(at: "https://cdn.bsky.app/newest.png") }
    #expect(transport.requests.count == 2)
    #expect(try folder.names().isEmpty)
  }

  @Test func whatIsNotAPictureIsNotKept() async throws {
    let proxy = try proxy(ScriptedTransport { _ in .file(PictureSamples.gif) })
    await #expect(throws: PictureFault.self) { try await proxy.picture(at: PictureSamples.avatar) }
    #expect(try folder.names().isEmpty)
  }

  @Test(arguments: [(Array("<svg/>".utf8), 0), ([], 0), ([], 1_000), (PictureSamples.png, 1_000_000)])
  func aDamagedFileIsRemovedAndFetchedAgain(start: [UInt8], zeros: Int) async throws {
    let transport = ScriptedTransport(responses: [
      .file(PictureSamples.png), .file([], status: 500), .file(PictureSamples.jpeg),
    ])
    let proxy = try proxy(transport)
    _ = try await proxy.picture(at: PictureSamples.avatar)
    try folder.write(start + Array(repeating: 0, count: zeros), to: try folder.names()[0])
    await #expect(throws: PictureFault.self) { try await proxy.picture(at: PictureSamples.avatar) }
    #expect(try folder.names().isEmpty)
    #expect(try await proxy.picture(at: PictureSamples.avatar).bytes == PictureSamples.jpeg)
  }

  @Test func aLinkInTheFolderIsNotFollowed() async throws {
    let transport = Self.transport()
    let proxy = try proxy(transport)
    _ = try await proxy.picture(at: PictureSamples.avatar)
    let (file, victim) = (try file(), SecureFolder(path: "\(root)/other"))
    try victim.write(PictureSamples.webp, to: "victim")
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: victim.path(of: "victim"))
    #expect(try await proxy.picture(at: PictureSamples.avatar).bytes == PictureSamples.png)
    #expect(transport.requests.count == 2)
    #expect(try victim.read("victim", limit: 100) == PictureSamples.webp)
  }

  @Test func aFolderThatOthersCanReadMeansNoCache() async throws {
    try folder.create()
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    let transport = Self.transport()
    let proxy = try proxy(transport)
    for _ in 0..<2 { _ = try await proxy.picture(at: PictureSamples.avatar) }
    #expect(transport.requests.count == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func aFullDiskMeansNoCache() async throws {
    let full = SecureFolder(path: folder.path) { _, _ in
      errno = ENOSPC
      return -1
    }
    let transport = Self.transport()
    let proxy = try proxy(transport, PictureCache(in: full))
    for _ in 0..<2 { _ = try await proxy.picture(at: PictureSamples.avatar) }
    #expect(transport.requests.count == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  // MARK: Room

  private let picture = FetchedPicture(PictureSamples.png)

  private func address(_ number: Int) throws -> PictureAddress {
    try #require(PictureAddress(try PictureSamples.avatar(number)))
  }

  private var now: KithCore.Instant { clock.timeSource().instant }

  @Test func removesWhatWasNotUsedForTheLongestTime() async throws {
    // After each picture the files are counted, and 4,800 bytes stay.
    let (cache, picture) = (PictureCache(in: folder, mostBytes: 5_000), try #require(picture))
    #expect(picture.bytes.count == 70)
    for number in 0..<69 {
      await cache.keep(picture, of: try address(number), now: now)
      clock.advance(by: .days(1))
    }
    for number in 0..<69 where number != 1 {
      #expect(await cache.picture(at: try address(number), now: now) != nil)
      clock.advance(by: .seconds(1))
    }
    // The second is now the one that was not used for the longest time; one more needs the room of one.
    await cache.keep(picture, of: try address(69), now: now)
    for number in 0..<70 {
      #expect(await (cache.picture(at: try address(number), now: now) == nil) == (number == 1), "\(number)")
    }
  }

  @Test func twoProcessesStayBelowTheLimitTogether() async throws {
    let picture = try #require(picture)
    let caches = (0..<2).map { _ in PictureCache(in: folder, mostBytes: 5_000) }
    var most = 0
    for number in 0..<200 {
      // One writes as much as the other, or much more.
      await caches[number < 100 ? number % 2 : 0].keep(picture, of: try address(number), now: now)
      clock.advance(by: .seconds(1))
      most = max(most, try folder.files().reduce(0) { $0 + $1.bytes })
    }
    #expect(most <= 5_000 && most > 4_700)
    #expect(await caches[1].picture(at: try address(199), now: now) == picture)
    #expect(await caches[1].picture(at: try address(0), now: now) == nil)
  }

  @Test func aProcessRemovesWhatEarlierOnesLeft() async throws {
    let picture = try #require(picture)
    for number in 0..<90 {
      await PictureCache(in: folder, mostBytes: 5_000).keep(picture, of: try address(number), now: now)
    }
    #expect(try folder.files().count == 69)
  }

  @Test func useIsNotedOnceADay() async throws {
    let (cache, picture) = (PictureCache(in: folder), try #require(picture))
    await cache.keep(picture, of: try address(0), now: now)
    let kept = now
    clock.advance(by: .days(1) - .seconds(1))
    _ = await cache.picture(at: try address(0), now: now)
    #expect(try folder.files().map(\.changed) == [kept])
    clock.advance(by: .seconds(1))
    _ = await cache.picture(at: try address(0), now: now)
    #expect(try folder.files().map(\.changed) == [now])
  }
}
