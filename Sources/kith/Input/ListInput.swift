// SPDX-License-Identifier: Apache-2.0

import ATProtoCore

/// A list as a person names it.
struct ListInput: Sendable, Hashable {
  let uri: ATURI

  /// Reads an AT-URI.
  ///
  /// - Throws: ``CommandFault`` that names the text and says how a list is named.
  init(parsing text: String) throws(CommandFault) {
    func fault(_ reason: String) -> CommandFault {
      CommandFault(.badInput, .invalidList(text, reason))
    }
    let uri: ATURI
    do throws(SyntaxError) { uri = try ATURI(parsing: text) } catch { throw fault(error.reason) }
    guard uri.collection?.description == "app.bsky.graph.list", uri.recordKey != nil else {
      throw fault("it names no list")
    }
    self.uri = uri
  }
}
