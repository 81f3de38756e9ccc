// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KithClient
@testable import KithCore

/// What errors say to the people who use an app.
@Suite struct SentenceTests {
  private func call(
    _ code: XRPCError.Code, status: Int? = nil, retryAfter: Duration? = nil, underlying: (any Error)? = nil
  ) -> XRPCError {
    XRPCError(
      code, method: NSID(generated: "app.bsky.graph.getRelationships"), service: "https://a.test",
      status: status, message: "see https://a.test", retryAfter: retryAfter, underlying: underlying)
  }

  @Test func isOneSentenceOfEveryCode() {
    #expect(faultySentences(TransportError.Code.all.map { TransportError($0, host: "a.test") }) == [])
    #expect(faultySentences(XRPCError.Code.all.map { call($0) }) == [])
    #expect(
      faultySentences(IdentityError.Code.all.map { IdentityError($0, subject: "a.test", detail: "x") }) == [])
    #expect(
      faultySentences(SessionError.Code.all.map { SessionError($0, subject: "a.test", detail: "x") }) == [])
    let address = #expect(throws: ServiceURL.Fault.self) { try ServiceURL(parsing: "ftp://a.test") }
    #expect(faultySentences([address].compactMap(\.self)) == [])
  }

  @Test func knowsThatTheMachineIsOffline() {
    let offline = TransportError(.cannotResolveHost, host: "a.test")
    let failed = call(.transport, underlying: offline)
    let identity = IdentityError(.unavailable, subject: "alice.test", detail: "x", underlying: failed)
    let session = SessionError(.unavailable, subject: "alice.test", detail: "x", underlying: failed)
    for error in [offline, failed, identity, session] as [any CodedError] {
      #expect(error.isOffline && error.isTransient)
      #expect((error as any Error).localizedDescription == offline.errorDescription)
    }
    let slow = call(.transport, underlying: TransportError(.timedOut, host: "a.test"))
    #expect(!slow.isOffline && slow.isTransient)
  }

  @Test func saysHowLongToWait() {
    let limited = call(.rateLimited, retryAfter: .seconds(3))
    #expect(limited.errorDescription == .tooManyRequests(.seconds(3)))
    #expect(call(.rateLimited).isTransient)
    #expect(!call(.refused, status: 400).isTransient)
  }

  @Test func saysToSignIn() {
    let missing = SessionError.notSignedIn(.handle(Handle.invalid))
    let unsent = call(.notSignedIn, underlying: missing)
    #expect(unsent.errorDescription == missing.errorDescription && !unsent.isTransient)
    let locked = SessionError(.locked, subject: "a file", detail: "x")
    #expect(call(.notSignedIn, underlying: locked).isTransient)
    #expect(call(.refused, status: 401).errorDescription == missing.errorDescription)
  }
}
