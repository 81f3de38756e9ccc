// SPDX-License-Identifier: Apache-2.0

import KithClient
package import KithCore

extension OperationError {
  package static func noRepository(_ owner: DID) -> OperationError {
    OperationError(
      .noRepository, .notFound, "\(owner)", "its DID document names no PDS", ["did": .text(owner)])
  }

  package static func unresolvedHandle(_ handle: Handle) -> OperationError {
    OperationError(
      .unresolvedHandle, .unavailable, "\(handle)", "could not be resolved", ["input": .text(handle)])
  }

  package static func handleNotStored(_ handle: Handle) -> OperationError {
    OperationError(
      .handleNotStored, .notFound, "\(handle)", "no data is stored under this handle",
      ["input": .text(handle)])
  }

  package static let noHistory = OperationError(.noHistory, .notFound, "there are no snapshots yet")

  package static func mutesOfAnother(_ actor: ATIdentifier) -> OperationError {
    OperationError(
      .mutesOfAnother, .notAllowed, "\(actor)", "mutes are private; only your own are available",
      ["actor": .text(actor)])
  }

  // MARK: Lists

  /// - Parameter listing: the list or listing whose size is needed.
  package static func membersUnknown(_ listing: String) -> OperationError {
    OperationError(
      .membersUnknown, .notFound, listing, "the AppView does not report its size",
      ["list": .string(listing)])
  }

  package static func listNeedsSession(_ text: String) -> OperationError {
    OperationError(
      .listNeedsSession, .notAllowed, "\"\(text)\"",
      "a list can be named by its name only if you are signed in", ["input": .string(text)])
  }

  /// - Parameter names: the names of the existing lists.
  package static func unknownListName(_ name: String, among names: [String]) -> OperationError {
    let shown = names.map { "\"\($0)\"" }.joined(separator: ", ")
    return OperationError(
      .unknownListName, .invalidInput,
      "you have no list named \"\(name)\"" + (shown.isEmpty ? "" : "; your lists: \(shown)"),
      ["name": .string(name), "names": .array(names.map { .string($0) })])
  }

  package static func noListNamed(_ name: String, of owner: DID) -> OperationError {
    OperationError(
      .noSuchList, .notFound, "\(owner) has no list named \"\(name)\"",
      ["did": .text(owner), "name": .string(name)])
  }

  package static func ambiguousListName(_ name: String, _ uris: [ATURI]) -> OperationError {
    OperationError(
      .ambiguousListName, .invalidInput,
      "\(uris.count) lists are named \"\(name)\"; use one of these AT-URIs: "
        + uris.map(\.description).joined(separator: ", "),
      ["name": .string(name), "uris": .array(uris.map { .text($0) })])
  }

  package static func notAStarterPack(_ text: String) -> OperationError {
    OperationError(
      .notAStarterPack, .invalidInput,
      "\"\(text)\" is not a starter pack; write at://DID/app.bsky.graph.starterpack/KEY, or the URL of its "
        + "page (…/starter-pack/WHO/KEY)",
      ["input": .string(text)])
  }

  package static func noStarterPack(_ rkey: RecordKey, of owner: DID) -> OperationError {
    OperationError(
      .noStarterPack, .notFound, "\(owner) has no starter pack \(rkey)",
      ["did": .text(owner), "rkey": .text(rkey)])
  }
}
