// SPDX-License-Identifier: Apache-2.0

package import ATProtoCore

/// Who is in an answer of `app.bsky.actor.getProfiles`: the names of each, and nothing else of it.
package struct ProfileNames: Decodable, Sendable {
  /// One profile.
  package struct Profile: Decodable, Sendable {
    /// The account's lasting name.
    package let did: DID
    /// Its handle; `handle.invalid` where that is broken.
    package let handle: Handle
    /// What it calls itself, where that can be read.
    let displayName: String?

    private enum CodingKeys: CodingKey { case did, handle, displayName }

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      did = try container.decode(DID.self, forKey: .did)
      handle = try container.decode(Handle.self, forKey: .handle)
      displayName = try? container.decodeIfPresent(String.self, forKey: .displayName)
    }
  }

  /// In the order asked, without those whom the AppView cannot show (Q14).
  package let profiles: [Profile]
}
