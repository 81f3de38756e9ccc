// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension AccountChoice {
  /// The accounts that arguments and options name.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened, or with the position of a syntax error; `InputError` for
  ///   an invalid name; 77 if an option needs a signed-in account.
  init(_ actors: ActorArguments, _ sources: AccountSources, _ context: CommandContext) async throws {
    let names = try actors.input.origins(
      with: try await context.workspace.origins(naming: actors.names), in: context.process)
    try await self.init(names, actors.selection, sources, context)
    skipsInvalid = actors.input.skipInvalid
  }

  /// The accounts that arguments and options name for a list.
  ///
  /// - Throws: as ``init(_:_:_:)-(ActorArguments,_,_)``.
  init(
    _ names: [String], _ members: MemberOptions, _ sources: AccountSources?, _ context: CommandContext
  ) async throws {
    let named = try members.files(
      with: try await context.workspace.origins(naming: names), in: context.process)
    try await self.init(named, members.selection, sources, context)
    self.sources = members.lists.map(Source.list) + self.sources
    skipsInvalid = members.skipInvalid
  }

  private init(
    _ names: [TargetStream.Origin], _ selection: SelectionOptions, _ sources: AccountSources?,
    _ context: CommandContext
  ) async throws {
    let predicate = try await selection.filter(context)
    let exclusions = try selection.exclusions(in: context.process)
    self.init(TargetStream(origins: names), and: try await sources?.choices(context) ?? [])
    (self.predicate, self.exclusions) = (predicate, exclusions)
    (isFiltered, excludesFollowed) = (!selection.predicate.isEmpty, selection.excludeFollowing)
  }
}

extension AccountSources {
  /// The accounts of these options, without names.
  private func choice(_ context: CommandContext) async throws -> AccountChoice {
    AccountChoice(TargetStream(origins: []), and: try await choices(context))
  }

  /// The listings; those of follows in Bluesky's graph.
  ///
  /// - Throws: ``CommandFault`` or `InputError` for an invalid name; 77 if an option needs a signed-in account.
  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    try await choice(context).listings(in: context.workspace)
  }

  /// What has to be found.
  func findings(_ context: CommandContext) async throws -> [FindPeople] { try await choice(context).findings }

  /// The accounts that are found, each under its handle. Says what was left out.
  ///
  /// - Throws: why not all of them were found.
  func found(_ context: CommandContext) async throws -> [TargetStream.Origin] {
    try await choice(context).found(in: context.workspace) { [context] in context.report($0) }
  }

  /// Where accounts come from that are not named one by one.
  ///
  /// - Throws: `InputError` for an invalid name; 77 for `me` without a signed-in account.
  fileprivate func choices(_ context: CommandContext) async throws -> [AccountChoice.Source] {
    var choices: [AccountChoice.Source] = []
    for name in followsOf { choices.append(.follows(of: try await context.workspace.actor(named: name))) }
    for name in followersOf { choices.append(.followers(of: try await context.workspace.actor(named: name))) }
    choices += own.map { .own($0.listing) }
    choices += list.map(AccountChoice.Source.list) + followingIn.map(AccountChoice.Source.following)
    choices += pack.map(AccountChoice.Source.pack)
    for name in knownFollowersOf {
      choices.append(.knownFollowers(of: try await context.workspace.actor(named: name)))
    }
    for (reaction, posts) in reactions { choices += posts.map { .reactions(reaction, to: $0) } }
    let most = first ?? FindPeople.usualLimit
    choices += search.map { .found(.search($0), first: most) }
    for name in similarTo {
      choices.append(.found(.similar(to: try await context.workspace.actor(named: name)), first: most))
    }
    return choices + people.map { .found($0.source, first: most) }
  }
}

extension AccountSources.Own {
  fileprivate var listing: AccountChoice.OwnListing {
    switch self {
    case .followers: .followers
    case .following: .following
    case .mutuals: .mutuals
    case .notFollowingBack: .notFollowingBack
    case .notFollowedBack: .notFollowedBack
    case .blocks: .blocks
    case .mutes: .mutes
    }
  }
}
