// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import TestSupport
import Testing

@testable import KithDashboard

@Suite(.timeLimit(.minutes(1))) struct PictureProxyTests {
  private let clock = ManualClock()

  private func proxy(
    for appview: String = "https://public.api.bsky.app", _ transport: ScriptedTransport
  ) throws -> PictureProxy {
    PictureProxy(
      transport: transport, appview: try ServiceURL(parsing: appview), cache: nil, time: clock.timeSource())
  }

  private func fault(
    at address: String = PictureSamples.avatar, _ transport: ScriptedTransport
  ) async throws -> PictureFault? {
    let proxy = try proxy(transport)
    return await PictureFault.thrown { try await proxy.picture(at: address) }
  }

  @Test(arguments: [
    (PictureSamples.png, "image/png"), (PictureSamples.jpeg, "image/jpeg"),
    (PictureSamples.webp, "image/webp"),
  ]) func theTypeIsThatOfTheContent(bytes: [UInt8], type: String) async throws {
    let transport = ScriptedTransport { _ in .file(bytes, type: "text/html") }
    let picture = try await proxy(transport).picture(at: PictureSamples.avatar)
    #expect(picture.bytes == bytes && picture.mimeType == type)
  }

  @Test(arguments: [
    Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), Array("<!doctype html><p>".utf8),
    PictureSamples.gif,
    Array("RIFF\u{1A}\0\0\0WAVE".utf8), Array(PictureSamples.png.dropFirst()), [],
  ]) func refusesOtherContentWhateverItIsCalled(bytes: [UInt8]) async throws {
    #expect(
      try await fault(ScriptedTransport { _ in .file(bytes, type: "image/png") })?.code == .notAPicture)
  }

  @Test func asksThePublicHostWithLimits() async throws {
    let transport = ScriptedTransport { _ in .file(PictureSamples.png) }
    _ = try await proxy(transport).picture(at: PictureSamples.avatar)
    let request = try #require(transport.requests.first)
    #expect(request.head.method == .get && request.head.scheme == "https")
    #expect(request.head.authority == "cdn.bsky.app" && PictureSamples.avatar.hasSuffix(transport.paths[0]))
    #expect(request.reach == .publicOnly && request.redirects == .refuse && request.body == nil)
    #expect(request.limits.total == .seconds(5) && request.limits.responseBytes == 1_000_000)
    #expect(request.head.headerFields.map(\.name) == [.accept])
  }

  @Test func asksANetworkOfThisMachineWithoutTLS() async throws {
    let transport = ScriptedTransport { _ in .file(PictureSamples.png) }
    let address =
      "http://localhost:2583/xrpc/com.atproto.sync.getBlob?did=\(Accounts.did(1))&cid=\(PictureSamples.cid)"
    _ = try await proxy(for: "http://localhost:2584", transport).picture(at: address)
    let request = try #require(transport.requests.first)
    #expect(request.head.scheme == "http" && request.head.authority == "localhost:2583")
    #expect(request.reach == .anywhere && request.redirects == .refuse)
  }

  @Test(arguments: [
    "http://cdn.bsky.app/a", "https://evil.test/a", "https://user@cdn.bsky.app/a", "data:image/png;base64,AA",
  ]) func asksForNothingAtOtherAddresses(address: String) async throws {
    let transport = ScriptedTransport { _ in .file(PictureSamples.png) }
    #expect(try await fault(at: address, transport)?.code == .notAllowed)
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [
    (301, PictureFault.Code.notAllowed), (307, .notAllowed), (400, .notFound), (404, .notFound),
    (410, .notFound),
    (403, .unavailable), (429, .unavailable), (500, .unavailable), (204, .unavailable),
  ]) func aPictureComesWith200Only(status: Int, code: PictureFault.Code) async throws {
    let transport = ScriptedTransport { _ in
      var answer = TransportResponse.file(PictureSamples.png, status: status)
      answer.head.headerFields[.location] = "https://cdn.bsky.app/b"
      return answer
    }
    let fault = try await fault(transport)
    #expect(fault?.code == code && fault?.subject == "cdn.bsky.app")
    #expect(fault?.isTransient == (code == .unavailable))
    #expect(transport.requests.count == 1)
  }

  @Test(arguments: [
    (TransportError.Code.responseTooLarge, PictureFault.Code.tooLarge), (.timedOut, .unavailable),
    (.cannotConnect, .unavailable), (.forbiddenAddress, .notAllowed), (.tooManyRedirects, .notAllowed),
  ]) func saysWhyThereIsNoResponse(cause: TransportError.Code, code: PictureFault.Code) async throws {
    let error = TransportError(cause, host: "cdn.bsky.app")
    let fault = try await fault(ScriptedTransport([.failure(error)]))
    #expect(fault?.code == code && fault?.underlying as? TransportError == error)
    #expect(fault?.isTransient == (code == .unavailable))
  }

  @Test func asksNoStrangerOverATransportThatChecksNoAddresses() async throws {
    let transport = ScriptedTransport(capabilities: []) { _ in .file(PictureSamples.png) }
    #expect(try await fault(transport)?.code == .unavailable)
    #expect(transport.requests.isEmpty)
  }

  @Test func aCancelledCallerFailsNoOther() async throws {
    let turnstile = Turnstile(isOpen: false)
    let proxy = try proxy(ScriptedTransport(turnstile: turnstile) { _ in .file(PictureSamples.png) })
    let patient = Task { try await proxy.picture(at: PictureSamples.avatar) }
    await turnstile.untilArrived(1)
    let others = (0..<20).map { _ in Task { try await proxy.picture(at: PictureSamples.avatar) } }
    for other in others { other.cancel() }
    for other in others { await #expect(throws: PictureFault.self) { try await other.value } }
    #expect(turnstile.arrivals == 1)
    turnstile.open()
    #expect(try await patient.value.bytes == PictureSamples.png)
    #expect(turnstile.arrivals == 1)
    _ = try await proxy.picture(at: PictureSamples.avatar)
    #expect(turnstile.arrivals == 2)
  }

  @Test func theExchangeEndsWithItsLastCaller() async throws {
    let turnstile = Turnstile(isOpen: false)
    let proxy = try proxy(ScriptedTransport(turnstile: turnstile) { _ in .file(PictureSamples.png) })
    let only = Task { try await proxy.picture(at: PictureSamples.avatar) }
    await turnstile.untilArrived(1)
    only.cancel()
    await turnstile.untilEmpty()
    turnstile.open()
    #expect(try await proxy.picture(at: PictureSamples.avatar).bytes == PictureSamples.png)
  }

  @Test func asksForSixPicturesAtOnce() async throws {
    let turnstile = Turnstile(isOpen: false)
    let proxy = try proxy(ScriptedTransport(turnstile: turnstile) { _ in .file(PictureSamples.png) })
    try await withThrowingTaskGroup { group in
      for number in 0..<10 {
        let address = try PictureSamples.avatar(number)
        group.addTask { _ = try await proxy.picture(at: address) }
      }
      for number in 0..<4 {
        await turnstile.untilArrived(6 + number)
        turnstile.release(number)
      }
      await turnstile.untilArrived(10)
      turnstile.open()
      try await group.waitForAll()
    }
    #expect(turnstile.peak == 6)
  }

  @Test func sentencesOfFaultsSuitPeople() {
    let faults = PictureFault.Code.allCases.map { PictureFault($0, host: "cdn.bsky.app") }
    #expect(faultySentences(faults) == [])
    #expect(Set(faults.map(\.detail)).count == faults.count)
  }
}
