// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithPosts
import KithRelationships
public import KithWriting

/// Changes texts and pictures of the account's profile. Fields that are not set keep their values.
public struct EditProfile: ChangeSource {
  public static let name = "editProfile"

  /// The texts.
  public var edit: ProfileEdit
  /// The picture of the account: JPEG or PNG, at most `ProfileEdit.mostPictureBytes`; nil to keep it.
  public var avatar: Picture?
  /// The picture behind the profile, likewise.
  public var banner: Picture?

  public init(_ edit: ProfileEdit, avatar: Picture? = nil, banner: Picture? = nil) {
    (self.edit, self.avatar, self.banner) = (edit, avatar, banner)
  }

  public let title = ChangeTitle("profile set", "changed", noun: "profile", imperative: "Change")

  public var confirmation: ConfirmationRule { ConfirmationRule() }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let pictures = [avatar, banner].compactMap(\.self)
    let naming = { @Sendable [edit, avatar, banner, name = "\(preparation.account.handle)"] (blobs: [Blob]) in
      var (edit, blobs) = (edit, blobs[...])
      if avatar != nil { edit.avatar = blobs.popFirst() }
      if banner != nil { edit.banner = blobs.popFirst() }
      return [RequestedChange(name, .success(.profile(edit)))]
    }
    var prepared = PreparedChanges(naming(pictures.compactMap(\.expectedBlob)))
    (prepared.pictures, prepared.naming) = (pictures, naming)
    return prepared
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    try await estimate.read(ChangeIntent.profile(edit).needs)
    estimate.addCalls("com.atproto.repo.uploadBlob", [avatar, banner].compactMap(\.self).count)
    estimate.add(.profile(edit))
  }
}
