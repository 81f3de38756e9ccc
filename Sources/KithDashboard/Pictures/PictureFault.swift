// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// Why a ``PictureProxy`` has no picture.
package struct PictureFault: CodedError {
  package static let domain = "pictureProxy"

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  package enum Code: String, CaseIterable, CustomStringConvertible, Sendable {
    /// Pictures of that address are not fetched, or it leads elsewhere.
    case notAllowed
    /// Its server does not have it.
    case notFound
    /// It has more than ``PictureProxy/mostBytes``.
    case tooLarge
    /// It is not a PNG, JPEG or WebP file.
    case notAPicture
    /// Its server failed, or took too long.
    case unavailable

    package var description: String { rawValue }
  }

  package let code: Code
  /// The host; empty if the address is not valid.
  package let subject: String
  package let underlying: (any Error)?

  init(_ code: Code, host: String, underlying: (any Error)? = nil) {
    (self.code, subject, self.underlying) = (code, host, underlying)
  }

  /// An exchange that did not end with a complete response.
  init(_ error: any Error, host: String) {
    let code: Code =
      switch (error as? TransportError)?.code {
      case .responseTooLarge: .tooLarge
      case .forbiddenAddress, .tooManyRedirects, .invalidRequest: .notAllowed
      default: .unavailable
      }
    self.init(code, host: host, underlying: error)
  }

  /// A response that is not a picture.
  init(status: Int, host: String) {
    let code: Code =
      switch status {
      case 300..<400: .notAllowed
      // 400 is how a PDS says that it does not have a blob.
      case 400, 404, 410: .notFound
      default: .unavailable
      }
    self.init(code, host: host)
  }

  package var isTransient: Bool { code == .unavailable && codedCause?.isTransient != false }

  package var errorDescription: String? { detail.asSentence }

  package var detail: String {
    switch code {
    case .notAllowed: "pictures of this address are not shown"
    case .notFound: "the server does not have the picture"
    case .tooLarge: "the picture has more than \(PictureProxy.mostBytes) bytes"
    case .notAPicture: "it is not a PNG, JPEG or WebP picture"
    case .unavailable: "the picture could not be fetched"
    }
  }
}
