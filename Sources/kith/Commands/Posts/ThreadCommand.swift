// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith thread`: a post with those above and below it.
struct ThreadCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "thread",
    abstract: "Read a post with the posts above it and the replies below it.",
    discussion: """
      Replies come after what they reply to, the oldest first, each level further to the right. Those with a block in \
      either direction, and those of accounts that you mute, are left out with all that is below them, and counted. \
      kith likers, reposters, quoters and repliers list the accounts.

        kith thread https://bsky.app/profile/alice.test/post/3jui7kd54zh2y

      \(PostRow.help)
      """)

  @OptionGroup var post: PostArgument

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Show up to N levels of replies, at most 30.", valueName: "n"))
  var depth = 6

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Show up to N posts above it, at most 80.", valueName: "n"))
  var parents = 80

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { PostRow.self }

  mutating func validate() throws {
    try depth.check(isIn: 0...30, for: "--depth")
    try parents.check(isIn: 0...80, for: "--parents")
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    let thread = ReadThread(
      try await context.workspace.post(named: post.name), depth: depth, height: parents)
    let printer = try OperationPrinter<PostRow>(context, verb: "read")
    let outcome = try await thread.run(in: context.workspace, printer.reporter)
    try context.finish(
      printer, outcome, saying: common.quiet ? nil : .threadRead(outcome), cost)
  }
}
