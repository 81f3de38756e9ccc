// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithRelationships

/// Which of the requests of the named accounts are answered.
struct AnswerOptions: ParsableArguments {
  @Option(help: "Only requests to be friends, or only requests to follow you.") var kind: FriendRequest.Kind?

  @Option(
    help: ArgumentHelp(
      "Only this version of the request, as in the rows of kith friends inbox; for one account.",
      valueName: "cid"))
  var cid: String?

  /// The version that ``cid`` names.
  var version: CID? { cid.flatMap { CID($0) } }

  func validate(for actors: ActorArguments, _ sources: AccountSources) throws {
    guard let cid else { return }
    if version == nil {
      throw ValidationError("--cid \(cid): not a CID; copy it from the rows of kith friends inbox.")
    }
    if actors.names.count != 1 || actors.names == ["-"] || !actors.input.files.isEmpty || !sources.isEmpty {
      throw ValidationError("--cid is about one account; name it.")
    }
  }
}
