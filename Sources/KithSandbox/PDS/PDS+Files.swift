// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons
internal import KithLocalMessages

/// Files: uploaded by their owners, and public once a record names them.
extension PDS {
  /// The largest file, as the reference server accepts it where its owner has set nothing else.
  static let mostFileBytes = 5 << 20

  func offerFiles(to routes: inout XRPCRoutes) {
    routes.addUpload(Com.Atproto.Repo.UploadBlob.self, most: Self.mostFileBytes) {
      bytes, type, caller throws(XRPCFault) in
      let account = try live.account(of: caller)
      // Arroba has no files.
      guard dialect != .arroba else { throw .methodNotImplemented }
      let blob = try live.withState { state, now throws(XRPCFault) in
        try state.files.add(bytes, declared: type, by: account, at: now)
      }
      return XRPCReply(Com.Atproto.Repo.UploadBlob.Output(blob: blob))
    }
    routes.addDownload(Com.Atproto.Sync.GetBlob.self) { parameters throws(XRPCFault) in
      guard dialect != .arroba else { throw .methodNotImplemented }
      let account = try served(parameters.did)
      guard let file = try live.withState({ state, _ in state.files.file(parameters.cid, of: account) })
      else { throw XRPCFault(status: 400, name: "BlobNotFound", message: "Blob not found") }
      return LocalResponse(contentType: file.mimeType, body: file.bytes)
    }
  }
}
