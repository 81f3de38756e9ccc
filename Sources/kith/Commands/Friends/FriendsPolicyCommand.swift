// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithClient
import KithCore
import KithOperations
public import KithRelationships
import KithWriting

struct FriendsPolicyCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Show or set who may send you friend requests.",
    discussion: """
      Without options, shows what an account declares. The policy is a public record that other clients are asked to \
      respect; it cannot be enforced. Those who follow you already stay followers. Fields: did, handle, takesPart, \
      whoMayAsk, requireApproval, requestLifetime (in seconds), \
      approvesOnWeaver (sh.weaver.graph.followGate).

        kith friends policy
        kith friends policy carol.test
        kith friends policy --who-may-ask mutuals --require-approval
        kith friends policy --delete
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @Option(help: "Who may send you requests: everyone, followers, mutuals or none.") var whoMayAsk:
    FriendPolicy.Audience?

  @Flag(inversion: .prefixedNo, help: "Ask others to ask you before they follow you.") var requireApproval:
    Bool?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long your requests can be accepted, from 1h to 365d; none for no end.", valueName: "span"))
  var expiry: String?

  @Flag(help: "Delete the policy. Your friends stay friends.") var delete = false

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  private static let verb = ChangeVerb(
    name: "policy", participle: "declared", imperative: "Change the policy of")

  private var isChange: Bool { delete || whoMayAsk != nil || requireApproval != nil || expiry != nil }

  var printedRow: (any PrintableRow.Type)? { isChange ? ChangeRow.self : FriendPolicyRow.self }

  func validate() throws {
    if delete, whoMayAsk != nil || requireApproval != nil || expiry != nil {
      throw ValidationError("--delete removes the whole policy; leave out the other options.")
    }
    if isChange, actor != nil {
      throw ValidationError("Only your own policy can be changed: name no account.")
    }
    _ = try lifetime(of: FriendPolicy())
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    guard isChange else {
      let show = ShowFriendPolicy(of: try await context.workspace.actor(named: actor))
      let printer = try OperationPrinter<FriendPolicyRow>(context, verb: "read")
      _ = try await show.run(in: context.workspace, printer.reporter)
      return try printer.finish()
    }
    let account = try await context.workspace.account()
    let request = RequestedChange(
      account.did.description,
      .success(.friends(.policy(account.did, delete ? nil : try await policy(of: account, context)))))
    var run = ChangeRun(context: context, options: options, verb: Self.verb, choice: .named)
    run.preview = { _ in delete ? [] : [.friendsArePublic] }
    try await run.finish([request], as: account)
  }

  private func policy(of account: AuthorizedAccount, _ context: CommandContext) async throws -> FriendPolicy {
    var policy = try await context.workspace.friendships().policy(of: account.did) ?? FriendPolicy()
    policy.whoMayAsk = whoMayAsk ?? policy.whoMayAsk
    policy.requiresApproval = requireApproval ?? policy.requiresApproval
    policy.requestLifetime = try lifetime(of: policy)
    return policy
  }

  private func lifetime(of policy: FriendPolicy) throws -> Duration? {
    guard let expiry else { return policy.requestLifetime }
    if expiry == "none" { return nil }
    let span = try DurationOption(parsing: expiry).duration
    guard FriendPolicy.lifetimes.contains(span) else {
      throw ValidationError("--expiry must be from 1h to 365d, or none, not \(expiry).")
    }
    return span
  }
}

extension FriendPolicy.Audience: ExpressibleByArgument {
  public init?(argument: String) {
    guard let known = Self.known.first(where: { $0.word == argument }) else { return nil }
    self = known
  }

  public static var allValueStrings: [String] { known.map(\.word) }
}
