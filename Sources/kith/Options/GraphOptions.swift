// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithCore
import KithOperations
public import KithRelationships

/// Options of commands that ask about follows, in the graph of one app or of several.
struct GraphOptions: ParsableArguments {
  @Option(help: .graph, completion: .graph)
  var graph: [FollowGraph] = []

  /// The graphs, each once.
  var graphs: [FollowGraph] { graph.asked }

  /// Whether a graph of another app is among them.
  var hasOthers: Bool { graph.hasOthers }

  /// Checks that who follows an actor in the graphs can be found out, before any call.
  ///
  /// - Throws: ``CommandFault`` `usage` if a graph of another app needs an index, and none is named.
  func checkFollowersCanBeListed(
    of actor: ATIdentifier, hasIndex: Bool
  ) throws(CommandFault) {
    if !hasIndex, let other = graphs.first(where: { $0 != .bluesky }) {
      throw CommandFault(OperationError.graphNeedsIndex(other, actor))
    }
  }
}

/// Options of commands that write follows.
struct WrittenGraphOptions: ParsableArguments {
  /// The shape of the records of a graph whose lexicon Kith does not know.
  enum Shape: String, ExpressibleByArgument, CaseIterable {
    /// `{subject, createdAt}`, with the DID of the account.
    case subject
  }

  @OptionGroup var asked: GraphOptions

  @Option(
    help: ArgumentHelp(
      "Also write records of apps that kith does not know, in this shape: {subject, createdAt}.",
      valueName: "subject"))
  var asShape: Shape?

  mutating func validate() throws {
    guard let graph = asked.graphs.first(where: { !$0.isKnown }) else { return }
    if graph.isReserved {
      throw ValidationError("--graph \(graph.name): records of this collection are not follows.")
    }
    if asShape == nil {
      throw ValidationError(
        "--graph \(graph.name): kith does not know the records of this app; if they are {subject, createdAt}, add --as-shape subject."
      )
    }
  }
}

extension [FollowGraph] {
  /// What options ask about that name these graphs: each once; Bluesky's if they name none.
  var asked: [FollowGraph] {
    var graphs: [FollowGraph] = []
    for one in isEmpty ? [.bluesky] : self where !graphs.contains(one) { graphs.append(one) }
    return graphs
  }

  /// Whether a graph of another app is among them.
  var hasOthers: Bool { contains { $0 != .bluesky } }
}

extension CompletionKind {
  /// The names of graphs.
  static var graph: CompletionKind { .list(FollowGraph.known.map(\.name)) }
}

extension FollowGraph: ExpressibleByArgument {
  public init?(argument: String) { self.init(parsing: argument) }
}
