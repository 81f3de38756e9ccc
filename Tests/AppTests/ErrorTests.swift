// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithRelationships
import KithWriting
import Testing

/// What an app does with errors. This target sees only what is public.
@Suite struct ErrorTests {
  private struct Offline: HTTPTransport {
    let capabilities = TransportCapabilities([.connectedAddress, .headLimit])

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      throw TransportError(.cannotConnect, host: "a.test")
    }
  }

  private let alice = DID("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")
  private let bob = DID("did:plc:bbbbbbbbbbbbbbbbbbbbbbbb")

  /// What an app shows of an error, and whether it says that the machine is offline.
  private func shown(_ action: () async throws -> Void) async -> (text: String, isOffline: Bool)? {
    do {
      try await action()
      return nil
    } catch let error as any CodedError {
      #expect(error.errorDescription == error.localizedDescription)
      return (error.localizedDescription, error.isOffline)
    } catch {
      return nil
    }
  }

  @Test func oneCatchHandlesWhatATapAParserAndALookupThrow() async throws {
    let alice = try #require(alice), bob = try #require(bob)
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://a.test"), transport: Offline(),
      configuration: XRPCClient.Configuration(retry: RetryPolicy(attempts: 1)))
    let service = FollowRelationshipService(client: client)
    let writer = RelationshipWriter(account: alice, pds: client, relationships: service)

    let lookup = await shown { _ = try await service.isFollowing(actor: alice, target: bob) }
    #expect(lookup?.text == "You seem to be offline." && lookup?.isOffline == true)
    let refused = await shown { _ = try await writer.toggleFollow(alice) }
    #expect(refused?.text.first?.isUppercase == true && refused?.text.hasSuffix(".") == true)
    #expect(refused?.isOffline == false)
    let unsent = await shown { _ = try await writer.follow(bob) }
    #expect(unsent?.text == "You seem to be offline." && unsent?.isOffline == true)
    let typed = await shown { _ = try Handle(parsing: "alice") }
    #expect(typed?.text.hasPrefix("This is not a valid handle: ") == true)
    let question = await shown { _ = try AccountPredicate(parsing: "followers >", now: Datetime(at: .epoch)) }
    #expect(question?.text.hasPrefix("Character ") == true)
  }
}
