// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// An answer that is an error: its status and the two fields of XRPC's error body.
struct XRPCFault: Error, Hashable {
  let status: Int
  let name: String
  let message: String
  /// Further fields of the answer's head.
  var fields: [SandboxAnswer.Field] = []

  /// What the reference servers call nearly every fault of the caller.
  static func invalidRequest(_ message: String) -> XRPCFault {
    XRPCFault(status: 400, name: "InvalidRequest", message: message)
  }

  /// What a procedure without a token meets.
  static let authMissing = XRPCFault(
    status: 401, name: "AuthMissing", message: "Authentication Required")

  /// What somebody meets who may not do this.
  static let authenticationRequired = XRPCFault(
    status: 401, name: "AuthenticationRequired", message: "Authentication Required")

  /// What the reference servers say where they did not think of a case.
  static let internalServerError = XRPCFault(
    status: 500, name: "InternalServerError", message: "Internal Server Error")

  /// The error of a method that no server of this network knows.
  static let methodNotImplemented = XRPCFault(
    status: 501, name: "MethodNotImplemented", message: "Method Not Implemented")
}

/// The error body on the wire.
struct XRPCFaultBody: Codable {
  let error: String
  let message: String
}
