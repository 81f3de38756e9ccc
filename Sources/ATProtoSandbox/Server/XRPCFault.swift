// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// An answer that is an error: its status and the two fields of XRPC's error body.
struct XRPCFault: Error, Hashable {
  let status: Int
  let name: String
  let message: String

  /// What the reference servers call nearly every fault of the caller.
  static func invalidRequest(_ message: String) -> XRPCFault {
    XRPCFault(status: 400, name: "InvalidRequest", message: message)
  }

  /// The error of a method that no server of this network knows.
  static let methodNotImplemented = XRPCFault(
    status: 501, name: "MethodNotImplemented", message: "Method Not Implemented")
}

/// The error body on the wire.
struct XRPCFaultBody: Codable {
  let error: String
  let message: String
}
