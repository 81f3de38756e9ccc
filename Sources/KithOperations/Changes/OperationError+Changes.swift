// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

extension OperationError {
  package static func noSuchList(_ list: ATURI, isOwn: Bool) -> OperationError {
    isOwn
      ? OperationError(.noSuchList, .notFound, "you have no list \(list)", ["uri": .text(list)])
      : OperationError(.noSuchList, .notFound, "\(list)", "no such list", ["uri": .text(list)])
  }

  package static func graphNeedsIndex(_ graph: FollowGraph, _ actor: ATIdentifier) -> OperationError {
    OperationError(
      .graphNeedsIndex, .usage,
      "no AppView lists who follows \(actor) in the graph of \(graph.name); a backlink index does",
      ["graph": .string(graph.name), "actor": .string("\(actor)")])
  }

  /// - Parameter purpose: nil if its record names none.
  package static func notForModeration(_ list: ATURI, _ purpose: ListPurpose?) -> OperationError {
    let kind =
      switch purpose {
      case .curate: "a curation list"
      case .refer: "a reference list"
      case .moderate, .other, nil: "a list of an unknown purpose"
      }
    return OperationError(
      .notForModeration, .notAllowed, "\(list) is \(kind), not a moderation list",
      ["list": .text(list), "purpose": .text(purpose?.name)])
  }
}
