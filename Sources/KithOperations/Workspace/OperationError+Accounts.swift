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

  /// - Parameters:
  ///   - nouns: what they are, in the plural.
  ///   - found: what tells each of them from the others, in a few words; empty if nothing is known.
  package static func ambiguousListName(
    _ name: String, _ found: [(uri: ATURI, words: String)], nouns: String = "lists"
  ) -> OperationError {
    let choices = found.map { $0.words.isEmpty ? "\($0.uri)" : "\($0.uri) (\($0.words))" }
    return OperationError(
      .ambiguousListName, .invalidInput,
      "\(found.count) \(nouns) are named \"\(name)\"; use one of these AT-URIs: "
        + choices.joined(separator: ", "),
      ["name": .string(name), "uris": .array(found.map { .text($0.uri) })])
  }

  package static func notAStarterPack(_ text: String) -> OperationError {
    OperationError(
      .notAStarterPack, .invalidInput,
      "\"\(text)\" is not a starter pack; write ACCOUNT/KEY or ACCOUNT/NAME, the name of one of your own, the URL of "
        + "its page (…/starter-pack/ACCOUNT/KEY), or at://DID/app.bsky.graph.starterpack/KEY",
      ["input": .string(text)])
  }

  package static func noStarterPack(_ rkey: RecordKey, of owner: DID) -> OperationError {
    OperationError(
      .noStarterPack, .notFound, "\(owner) has no starter pack \(rkey)",
      ["did": .text(owner), "rkey": .text(rkey)])
  }
}
