// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What a listing needs of a page of `getFollows`, `getFollowers` or `getList`: who is on it, and the way on.
///
/// The views around the DIDs are many times as large, and hold words and records of strangers.
struct ListingPage: Decodable {
  let actors: [DID]
  let cursor: String?

  private enum CodingKeys: CodingKey { case follows, followers, items, cursor }

  private struct Profile: Decodable { let did: DID }
  private struct Item: Decodable { let subject: Profile }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    if container.contains(.items) {
      actors = try container.decode([Item].self, forKey: .items).map(\.subject.did)
    } else {
      let key = container.contains(.follows) ? CodingKeys.follows : .followers
      actors = try container.decode([Profile].self, forKey: key).map(\.did)
    }
  }
}
