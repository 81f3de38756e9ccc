// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import KithWriting

/// `kith jobs`: the journal of changes.
struct JobsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "jobs",
    abstract: "List, resume and undo changes.",
    discussion: """
      Every change is recorded, each record with its key, before anything is sent. A run that was \
      interrupted, killed or disconnected can be resumed where it stopped: nothing is lost, and nothing is \
      done twice. A proposed change waits for a day to be approved or rejected, and changes nothing before.

        kith jobs
        kith jobs show 7
        kith jobs approve 7
        kith jobs resume 7
        kith jobs undo 7
      """,
    subcommands: [
      JobsListCommand.self, JobsShowCommand.self, JobsApproveCommand.self, JobsRejectCommand.self,
      JobsResumeCommand.self, JobsPauseCommand.self,
      JobsCancelCommand.self, JobsUndoCommand.self, JobsRetryFailedCommand.self, JobsDueCommand.self,
      JobsPruneCommand.self,
    ],
    defaultSubcommand: JobsListCommand.self)
}

extension JobID: ExpressibleByArgument {}
