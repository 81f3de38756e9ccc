// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithCrypto
internal import KithLexicons
internal import KithRelationships

// Files of the account, which records name.

/// A file that records to be written name. It may not be uploaded yet; the server deletes it unless a record names it soon.
package struct RecordFile: Sendable, Hashable {
  /// How records name it.
  package let blob: Blob
  /// Its content.
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8], as blob: Blob) { (self.bytes, self.blob) = (bytes, blob) }
}

extension PDSRepository {
  /// The most bytes of a file, as of a video (lexicon `app.bsky.embed.video`).
  static let mostFileBytes = 100_000_000
  /// How long the transfer of a file may take.
  private static let mostFileTime = Duration.seconds(300)

  package func file(_ file: Blob) async throws -> [UInt8]? {
    typealias Method = Com.Atproto.Sync.GetBlob
    let size = file.size ?? Self.mostFileBytes
    guard size <= Self.mostFileBytes else { return nil }
    var client = pds
    client.configuration.limits.responseBytes = max(size, client.configuration.limits.responseBytes)
    client.configuration.limits.total = Self.mostFileTime
    let request = XRPCRequest(
      method: Method.nsid, verb: .get,
      items: Method.Parameters(did: account, cid: file.ref).queryItems, accept: Method.outputEncoding)
    do {
      let bytes = try await client.perform(request, repeatable: true)
      return CID(ofFile: bytes) == file.ref ? bytes : nil
    } catch let error as XRPCError where error.saysNoSuchFile {
      return nil
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw RepositoryError(asking: error)
    }
  }

  package func upload(_ bytes: [UInt8], as file: Blob) async throws {
    typealias Method = Com.Atproto.Repo.UploadBlob
    var client = pds
    client.configuration.limits.total = Self.mostFileTime
    var request = XRPCRequest(method: Method.nsid, verb: .post)
    request.body = XRPCRequest.Body(bytes: bytes, encoding: file.mimeType)
    let uploaded: Blob
    do {
      uploaded = try await client.perform(request, repeatable: true, within: Method.answerBounds) {
        try Method.Output(payload: $0, within: $1)
      }.blob
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw RepositoryError(asking: error)
    }
    guard uploaded.ref == file.ref else {
      throw RepositoryError(.refused, detail: "the server stored another file than the one that was sent")
    }
  }
}

extension XRPCError {
  /// Whether the server says that it does not have a file; not every server says so by name.
  fileprivate var saysNoSuchFile: Bool {
    guard code == .refused, [400, 404].contains(status) else { return false }
    let words = message.lowercased()
    return name?.rawValue == "BlobNotFound" || words.contains("blob") && words.contains("not found")
  }
}
