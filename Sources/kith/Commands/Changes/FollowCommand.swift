// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith follow`: follows accounts.
struct FollowCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "follow",
    abstract: "Follow accounts.",
    discussion: """
      Accounts that you already follow cost nothing. Every record is stored with its key before anything is \
      sent; an interrupted run can be resumed (kith jobs) without lost or duplicate follows. Listings of follows are \
      those of the graphs that --graph names.

        kith follow alice.test bob.test
        kith follow --from names.txt --dry-run
        kith follow carol.test --for 7d
        kith follow carol.test --graph bluesky --graph tangled
        kith follow --graph tangled --following-in bluesky

      Accounts named on the command line, up to 25, are checked for a policy that asks for approval; on a terminal \
      kith offers to send a request instead.

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(name: "follow", participle: "followed")

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Time") var timing: TimingOptions
  @OptionGroup(title: "Change") var graph: WrittenGraphOptions

  @Flag(help: "Also follow accounts that want to be asked first (see kith friends policy).")
  var allowUnapproved = false

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var lifetime: DurationOption? { timing.span }

  var graphs: [FollowGraph] { graph.asked.graphs }

  func change(_ actor: DID) -> ChangeIntent { change(actor, in: graphs.first ?? .bluesky) }

  func change(_ actor: DID, in graph: FollowGraph) -> ChangeIntent { .follow(actor, in: graph) }

  /// Whether all accounts are named on the command line, and few enough to read their policies.
  private var areNamed: Bool {
    sources.isEmpty && actors.input.files.isEmpty && !actors.names.contains("-")
      && actors.names.count <= FollowApprovals.mostAccounts
  }

  private var asksApproval: Bool { !allowUnapproved && graphs.contains(.bluesky) }

  func prepare(
    _ found: SelectedAccounts, as account: AuthorizedAccount, _ context: CommandContext
  ) async throws -> PreparedChanges {
    let requests = found.requests(in: graphs, change)
    guard asksApproval, !found.members.isEmpty else { return PreparedChanges(requests: requests) }
    guard areNamed, found.members.count <= FollowApprovals.mostAccounts else {
      if !common.quiet { context.report(.approvalNotAsked) }
      return PreparedChanges(requests: requests)
    }
    let approvals = FollowApprovals(of: found, as: account, in: context.workspace)
    var prepared = PreparedChanges(requests: requests, narrowing: approvals.checked)
    prepared.beside = { _ = try? await approvals.terms() }
    guard !options.yes, !options.dryRun, context.confirmation.isPossible else { return prepared }
    prepared.narrowing = { planned in
      let checked = try await approvals.checked(planned)
      if checked.refusal?.code == .approvalRequired,
        try await approvals.terms().required.contains(where: \.mayBeAsked)
      {
        throw PreparedChanges.HasQuestion()
      }
      return checked
    }
    prepared.answered = {
      var approvals = approvals
      for (other, name, mayBeAsked) in try await approvals.terms().required where mayBeAsked {
        let question =
          "\(name) wants to be asked before it is followed. Send a request, which is public, instead?"
        if try await context.confirmation.offer(question) == true { approvals.ask(other) }
      }
      return PreparedChanges(requests: approvals.changes(requests), narrowing: approvals.checked)
    }
    return prepared
  }

  func addPreparation(to plan: inout CostPlan) {
    guard asksApproval, areNamed else { return }
    plan.addFriendRecords(policiesOf: actors.names.count)
  }
}
