// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ArgumentParser
import RelationshipWriting

/// `kith jobs cancel`: gives up what is left of a job.
struct JobsCancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Give up what is left of a job.",
    discussion: """
      What it did stands; kith jobs undo takes that back. What was sent and not answered is in doubt until the \
      job is resumed once more, which does nothing else then.
      """)

  @Argument(help: ArgumentHelp("The job's number.", valueName: "job")) var job: JobID

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let store = try wiring.jobStore()
    try await wiring.check(try await store.job(job))
    _ = try await store.cancel(job, at: wiring.time.microsecondsSinceEpoch)
    try await wiring.print(try await store.summary(of: job), in: store)
  }
}
