// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An AppView's description of a list, without its members.
public struct ListSummary: Sendable, Hashable, Decodable {
  /// The list's URI.
  public let uri: ATURI
  /// The owner.
  public let owner: DID
  /// The owner's handle; `handle.invalid` if it is broken.
  public let ownerHandle: Handle
  public let name: String
  /// The purpose.
  public let purpose: ListPurpose
  public let description: String?
  /// The number of members; nil if the AppView does not return it.
  public let members: Int?
  /// Whether the viewer mutes the list; nil if signed out.
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
    description = container.decodeIfReadable(String.self, forKey: .description)
    members = container.decodeIfReadable(Int.self, forKey: .members)?.asCount
    let viewer = container.decodeIfReadable(Viewer.self, forKey: .viewer)
    (isMuted, block) = (viewer?.muted, viewer?.blocked)
  }
}
