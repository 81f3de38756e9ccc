// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import Testing

@testable import KithSandbox

struct SandboxPictureTests {
  private let sandbox = Sandbox(network: SandboxNetwork(configuration: .init(accounts: 50)))

  private func answer(_ path: String, _ method: String = "GET") async throws -> LocalResponse {
    try await sandbox.answers(at: "http://127.0.0.1:2583")(LocalRequest(method: method, path: path))
  }

  @Test func anAccountHasThePictureThatItsProfileNames() async throws {
    let request = LocalRequest(path: "/xrpc/app.bsky.actor.getProfile", query: "actor=alice.test")
    let shown = try await sandbox.answers(at: "http://127.0.0.1:2583")(request)
    let value = try JSONCoding.decode(DataValue.self, from: shown.body)
    let avatar = try #require(value["avatar"]?.string)
    #expect(avatar.hasPrefix("http://127.0.0.1:2583/img/avatar/plain/did:plc:") && avatar.hasSuffix("@png"))
    let picture = try await answer(String(avatar.dropFirst("http://127.0.0.1:2583".count)))
    #expect(picture.status == 200 && picture.contentType == "image/png")
    #expect(picture.body.starts(with: [0x89, 0x50, 0x4E, 0x47]) && picture.body.count < 2_000)
  }

  @Test func theSumsOfItsPartsAreRight() throws {
    let png = SandboxPicture.png(of: "bafkreigh2akiscaildc")
    // The end of every PNG: its sum is known.
    #expect(png.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    #expect(SandboxPicture.png(of: "a") != SandboxPicture.png(of: "b"))
  }

  @Test(arguments: [
    "/img/avatar/plain/@png", "/img/avatar/plain/x/y@png", "/img/avatar/plain/did:plc:a/../x@png",
    "/img/avatar/plain/a@png",
  ])
  func otherAddressesHaveNoPicture(path: String) async throws {
    #expect(try await answer(path).status == 404)
  }

  @Test func aPictureIsOnlyRead() async throws {
    let path = SandboxPicture.address(
      of: Identities.blobCID(seed: 1), by: sandbox.network.dids[0], at: "")
    #expect(try await answer(path).status == 200)
    #expect(try await answer(path, "POST").status == 404)
  }
}
