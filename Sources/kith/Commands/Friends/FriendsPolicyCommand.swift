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

  private var isChange: Bool { delete || whoMayAsk != nil || requireApproval != nil || expiry != nil }

  var printedRow: (any PrintableRow.Type)? {
    isChange ? (options.explain ? PlanRow.self : ChangeRow.self) : FriendPolicyRow.self
  }

  func validate() throws {
    if delete, whoMayAsk != nil || requireApproval != nil || expiry != nil {
      throw ValidationError("--delete removes the whole policy; leave out the other options.")
    }
    if isChange, actor != nil {
      throw ValidationError("Only your own policy can be changed: name no account.")
    }
    _ = try lifetime()
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    guard isChange else {
      let show = ShowFriendPolicy(of: try await context.workspace.actor(named: actor))
      let printer = try OperationPrinter<FriendPolicyRow>(context, verb: "read")
      let outcome = try await show.run(in: context.workspace, printer.reporter)
      try printer.finish()
      return try context.end(outcome)
    }
    var edit = SetFriendPolicy.Edit()
    (edit.whoMayAsk, edit.requiresApproval) = (whoMayAsk, requireApproval)
    edit.requestLifetime = try lifetime()
    try await ChangeRun(context: context, options: options).finish(SetFriendPolicy(delete ? nil : edit))
  }

  /// How long requests can be accepted, an inner nil for no end; nil to keep that.
  private func lifetime() throws -> Duration?? {
    guard let expiry else { return nil }
    if expiry == "none" { return .some(nil) }
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
