// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What an AppView says of a list, without who is on it.
public struct ListSummary: Sendable, Hashable, Decodable {
  /// Its address.
  public let uri: ATURI
  /// Whose it is.
  public let owner: DID
  /// The owner's handle; `handle.invalid` where that is broken.
  public let ownerHandle: Handle
  public let name: String
  /// What it is for.
  public let purpose: ListPurpose
  public let description: String?
  /// How many are on it; nil where the AppView does not say.
  public let members: Int?
  /// Whether the viewer mutes it; nil where nobody is signed in.
  public let isMuted: Bool?
  /// The viewer's record that blocks it.
  public let block: ATURI?

  private enum CodingKeys: String, CodingKey {
    case uri, creator, name, purpose, description, viewer
    case members = "listItemCount"
  }

  private struct Creator: Decodable {
    let did: DID
    let handle: Handle
  }

  private struct Viewer: Decodable {
    let muted: Bool?
    let blocked: ATURI?
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    uri = try container.decode(ATURI.self, forKey: .uri)
    let creator = try container.decode(Creator.self, forKey: .creator)
    (owner, ownerHandle) = (creator.did, creator.handle)
    name = try container.decode(String.self, forKey: .name)
    purpose = ListPurpose(name: try container.decode(String.self, forKey: .purpose))
    description = try container.decodeIfPresent(String.self, forKey: .description)
    members = try container.decodeIfPresent(Int.self, forKey: .members)?.asCount
    let viewer = try container.decodeIfPresent(Viewer.self, forKey: .viewer)
    (isMuted, block) = (viewer?.muted, viewer?.blocked)
  }
}
