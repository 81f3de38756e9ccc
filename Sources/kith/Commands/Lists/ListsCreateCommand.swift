// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ArgumentParser
import RelationshipWriting
import Relationships

/// `kith lists create`: make a list.
struct ListsCreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Make a list, and put actors on it.",
    discussion: """
      A curate list is to read by, a mod list to mute and block by; what a list is for cannot be changed later. \
      Where you have the same list already, nothing is made, and the actors are put on that one. The row of the \
      list itself names its AT-URI as subject.

        kith lists create Birds --purpose curate --description "All about birds"
        kith lists create Noise --purpose mod --from wave.txt

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(name: "lists create", participle: "written", noun: "record")

  @Argument(help: "The list's name, 1 to 64 bytes.") var name: String

  @Argument(
    help: ArgumentHelp("Who is to be on it: handles, DIDs, profile URLs; - is stdin.", valueName: "actor"))
  var names: [String] = []

  @Option(help: "What it is for.") var purpose: ListPurposeOption

  @Option(help: ArgumentHelp("What it says about itself.", valueName: "text")) var description: String?

  @OptionGroup(title: "Actors") var members: MemberOptions
  @OptionGroup(title: "Moderation") var moderation: ModerationOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  func validate() throws { try members.validate(with: names) }

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let account = try await wiring.account()
    let draft = ListDraft(name: name, purpose: purpose.purpose, description: description)
    if options.cost.explain { return try await explain(draft, wiring, as: account) }
    let known = try await OwnLists(of: account.did, client: account.pds)
    let list = known.all.first(where: draft.isMet)?.uri ?? wiring.newList(of: account)
    var requests = [RequestedChange(input: name, change: .success(.list(.create(list, draft))))]
    if !names.isEmpty || !members.places.isEmpty {
      let roll = try await common.roll(
        of: members.origins(with: names, wiring, as: account), skippingInvalid: members.skipInvalid)
      requests += try await wiring.requests(roll, of: account) {
        .list(.add($0, to: list, allowsFollowed: moderation.allowMutuals))
      }
    }
    let run = ChangeRun(wiring: wiring, options: options, verb: Self.verb)
    try await run.finish(requests, as: account)
  }
}

extension ListsCreateCommand {
  private func explain(
    _ draft: ListDraft, _ wiring: Wiring, as account: AuthorizedAccount
  ) async throws {
    var explanation = try await ChangeExplanation(wiring, options, as: account, reading: .lists)
    let list = wiring.newList(of: account)
    explanation.addOwnLists()
    explanation.add(.list(.create(list, draft)))
    // The AppView is asked only about members of a list to moderate by.
    let isOpen = moderation.allowMutuals || draft.purpose != .moderate
    try await explanation.add(members, names) { .list(.add($0, to: list, allowsFollowed: isOpen)) }
    try await explanation.print()
  }
}

extension Wiring {
  /// The address of a list that is not there yet.
  fileprivate func newList(of account: AuthorizedAccount) -> ATURI {
    OwnList.uri(RecordKey(tid: TIDClock(time: time).next()), of: account.did)
  }
}
