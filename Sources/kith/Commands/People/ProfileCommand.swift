// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith profile`: the card of an account, and one's own profile.
struct ProfileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "profile",
    abstract: "Show an account, or change your profile.",
    discussion: """
        kith profile alice.test
        kith profile set --bio "I like birds."
      """,
    subcommands: [ProfileShowCommand.self, ProfileSetCommand.self],
    defaultSubcommand: ProfileShowCommand.self)
}

/// `kith profile show`: a card of an account.
struct ProfileShowCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show an account: profile, relationship, known followers, shared lists, latest posts.",
    discussion: """
      An account with a block is shown, too, without its posts. One that the AppView does not show, such as a \
      suspended or deleted one, is shown with what its servers know, with exit code 67. Dates of follows come from \
      the keys of the records. Shared lists are those of yours that have it among their newest 100 \
      members, and with --index those that both of you are on.

        kith profile
        kith profile alice.test
        kith profile alice.test --url

      \(ProfileRow.help)
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Show its latest N posts, up to 50.", valueName: "n"))
  var posts = ShowProfile.usualPosts

  @Flag(help: "Print only the address of its page.")
  var url = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { url ? nil : ProfileRow.self }

  mutating func validate() throws {
    try posts.check(isIn: 0...50, for: "--posts")
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let actor = try await context.workspace.actor(named: actor)
    if url {
      let page = try await ProfilePage(actor).run(in: context.workspace).page
      return try process.standardOutput.write(Array("\(page)\n".utf8))
    }
    let cost = CostReport(context)
    let printer = try OperationPrinter<ProfileRow>(context, verb: "read")
    let outcome = try await ShowProfile(actor, posts: posts).run(in: context.workspace, printer.reporter)
    try context.finish(printer, outcome, saying: nil, cost)
  }
}
