// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithPosts
import KithRelationships
import KithWriting

extension UploadedPicture {
  var file: RecordFile { RecordFile(picture.bytes, as: blob) }
}

extension AuthorizedAccount {
  /// Uploads a picture, which is public once a record names it, and deleted after some hours otherwise.
  ///
  /// - Throws: `RelationshipError`, `CancellationError`.
  public func upload(_ picture: Picture) async throws -> UploadedPicture {
    do {
      return UploadedPicture(picture, as: try await picture.upload(to: pds))
    } catch {
      throw RelationshipError.wrapping(error) ?? error
    }
  }
}
