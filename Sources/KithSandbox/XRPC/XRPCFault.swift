// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// An error answer: its status and the two fields of XRPC's error body.
struct XRPCFault: Error, Hashable {
  let status: Int
  let name: String
  let message: String
  /// Additional header fields.
  var fields: [HeaderField] = []

  /// The error name of the reference servers for nearly every invalid request.
  static func invalidRequest(_ message: String) -> XRPCFault {
    XRPCFault(status: 400, name: "InvalidRequest", message: message)
  }

  /// The error for a procedure without a token.
  static let authMissing = XRPCFault(
    status: 401, name: "AuthMissing", message: "Authentication Required")

  /// The error for a caller who is not allowed to do this.
  static let authenticationRequired = XRPCFault(
    status: 401, name: "AuthenticationRequired", message: "Authentication Required")

  /// The error of the reference servers for unexpected cases.
  static let internalServerError = XRPCFault(
    status: 500, name: "InternalServerError", message: "Internal Server Error")

  /// The error for an unknown method.
  static let methodNotImplemented = XRPCFault(
    status: 501, name: "MethodNotImplemented", message: "Method Not Implemented")
}

/// The error body on the wire.
struct XRPCFaultBody: Codable {
  let error: String
  let message: String
}
