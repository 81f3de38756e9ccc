// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import Testing

/// Handles and DID documents, as a real PDS registered them.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct IdentityTests {
  private let transport = CurlTransport()

  private func directory(_ network: LiveNetwork) -> IdentityDirectory {
    IdentityDirectory(
      handles: HandleResolver(client: XRPCClient(service: network.appview.url, transport: transport)),
      documents: DIDResolver(
        plc: network.plc.url, named: TrustedHosts([network.appview.url, network.plc.url]),
        transport: transport)
    )
  }

  @Test func verifiesHandlesInBothDirections() async throws {
    let network = try await LiveNetwork.populated().network
    let directory = directory(network)
    for account in network.accounts {
      let identity = try await directory.identity(of: .handle(account.handle))
      #expect(identity.did == account.did)
      #expect(identity.handle == account.handle)
      #expect(identity.handleIsProven == true)
      #expect(identity.pds == network.tls.pds.url)
      #expect(identity.signingKey?.description == account.signingKey)
    }
  }

  @Test func reportsUnknownHandles() async throws {
    let network = try await LiveNetwork.populated().network
    let (alice, nobody) = (try network.account("alice"), try Handle(parsing: "nobody.test"))
    let outcomes = try await directory(network).dids(of: [alice.handle, nobody])
    #expect(try outcomes[alice.handle]?.get() == alice.did)
    #expect(throws: IdentityError.self) { try outcomes[nobody]?.get() }
  }
}
