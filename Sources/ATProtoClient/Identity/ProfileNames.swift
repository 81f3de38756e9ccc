// SPDX-License-Identifier: Apache-2.0

package import ATProtoCore

/// Who is in an answer of `app.bsky.actor.getProfiles`: the two names of each, and nothing else of it.
package struct ProfileNames: Decodable, Sendable {
  /// One profile.
  package struct Profile: Decodable, Sendable {
    /// The account's lasting name.
    package let did: DID
    /// Its handle; `handle.invalid` where that is broken.
    package let handle: Handle
  }

  /// In the order asked, without those whom the AppView cannot show (Q14).
  package let profiles: [Profile]
}
