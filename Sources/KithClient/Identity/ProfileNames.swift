// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The names of the accounts in a response of `app.bsky.actor.getProfiles`, without anything else.
package struct ProfileNames: Decodable, Sendable {
  /// One profile.
  package struct Profile: Decodable, Sendable {
    /// The account's permanent identifier.
    package let did: DID
    /// The account's handle; `handle.invalid` if it is broken.
    package let handle: Handle
    /// The account's display name; nil if it is absent or unreadable.
    let displayName: String?

    private enum CodingKeys: CodingKey { case did, handle, displayName }

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      did = try container.decode(DID.self, forKey: .did)
      handle = try container.decode(Handle.self, forKey: .handle)
      displayName = try? container.decodeIfPresent(String.self, forKey: .displayName)
    }
  }

  /// In request order, without accounts that the AppView cannot show (Q14).
  package let profiles: [Profile]
}
