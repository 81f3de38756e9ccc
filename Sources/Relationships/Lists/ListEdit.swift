// SPDX-License-Identifier: Apache-2.0

/// What a list is to say about itself from now on.
///
/// What it is for cannot be changed: accounts that were put on a list to be read would be moderated by it.
public struct ListEdit: Sendable, Hashable {
  /// Another name; nil to leave it.
  public var name: String?
  /// Another description, an empty one to have none; nil to leave it.
  public var description: String?

  /// Puts an edit together.
  public init(name: String? = nil, description: String? = nil) {
    self.name = name
    self.description = description
  }
}
