// SPDX-License-Identifier: Apache-2.0

package import KithClient
public import KithCore
internal import KithCrypto
internal import KithLexicons
internal import KithRelationships

extension Picture {
  /// How records name the picture once it is uploaded, if the server sees its type.
  package var expectedBlob: Blob? {
    CID(ofFile: bytes).map { Blob(ref: $0, mimeType: kind.mimeType, size: bytes.count) }
  }

  /// Uploads the picture to the account's own server, which deletes it after some hours unless a record names it.
  ///
  /// The same picture may be uploaded again.
  /// - Returns: how records name it, as the server says; it has to stay unchanged.
  /// - Throws: `XRPCError`; `RelationshipError` `invalidResponse` if it names another file; `CancellationError`.
  package func upload(to pds: XRPCClient) async throws -> Blob {
    typealias Method = Com.Atproto.Repo.UploadBlob
    var request = XRPCRequest(method: Method.nsid, verb: .post)
    // The type, not that of any file: permissions are checked against it.
    request.body = XRPCRequest.Body(bytes: bytes, encoding: kind.mimeType)
    let blob = try await pds.perform(request, repeatable: true, within: Method.answerBounds) {
      try Method.Output(payload: $0, within: $1)
    }.blob
    guard blob.ref == expectedBlob?.ref else {
      throw RelationshipError.invalidResponse(Method.nsid, path: "blob.ref", "not the file that was sent")
    }
    return blob
  }
}

/// A picture on the account's own server, which deletes it unless a record names it soon.
public struct UploadedPicture: Sendable, Hashable {
  /// The picture.
  public let picture: Picture
  /// How records name it.
  public let blob: Blob

  package init(_ picture: Picture, as blob: Blob) { (self.picture, self.blob) = (picture, blob) }
}
