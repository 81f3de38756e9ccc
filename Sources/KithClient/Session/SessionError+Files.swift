// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension SessionError {
  /// Creates an error for a file or folder of the store that is rejected, or that the system refuses.
  init(_ error: SecureFolderError) {
    let code: Code =
      switch error.reason {
      case .tooLarge: .malformedFile
      default: error.isUnsafe ? .unsafeFile : .fileTrouble
      }
    self.init(code, subject: error.path, detail: error.detail, underlying: error)
  }
}
