// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import KithOperations

/// The command `kith`.
@main
struct Kith: AsyncParsableCommand {
  private static let name = Program.name

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract:
      "Answer and change relationships on Bluesky and the AT Protocol: follows, blocks, mutes, lists.",
    discussion: """
      Name accounts by handle, @handle, DID, profile URL or AT-URI. Results go to stdout, messages to stderr. \
      Topics: kith help options, kith help predicates.

      \(tables)
      """,
    version: "\(name) \(Program.version)",
    groupedSubcommands: [
      CommandGroup(
        name: "Ask",
        subcommands: [CheckCommand.self, ResolveCommand.self, CountCommand.self]),
      CommandGroup(
        name: "List accounts",
        subcommands: [
          FollowersCommand.self, FollowingCommand.self, MutualsCommand.self, NotFollowingBackCommand.self,
          NotFollowedBackCommand.self, KnownFollowersCommand.self, CommonCommand.self, BlocksCommand.self,
          BlockedByCommand.self, MutesCommand.self, LikersCommand.self, RepostersCommand.self,
          QuotersCommand.self, RepliersCommand.self, GraphsCommand.self,
          FriendsCommand.self, PeopleCommand.self, ProfileCommand.self, ExportCommand.self,
        ]),
      CommandGroup(
        name: "Read posts",
        subcommands: [FeedCommand.self, ThreadCommand.self, NotificationsCommand.self]),
      CommandGroup(
        name: "Write posts",
        subcommands: [
          PostCommand.self, PostsCommand.self, LikeCommand.self, UnlikeCommand.self, RepostCommand.self,
          UnrepostCommand.self,
        ]),
      CommandGroup(
        name: "Change relationships",
        subcommands: [
          FollowCommand.self, FollowBackCommand.self, UnfollowCommand.self, BlockCommand.self,
          UnblockCommand.self, MuteCommand.self,
          UnmuteCommand.self, BlockListCommand.self, UnblockListCommand.self, MuteListCommand.self,
          UnmuteListCommand.self, ImportCommand.self, ReportCommand.self,
        ]),
      CommandGroup(
        name: "Jobs", subcommands: [JobsCommand.self, UndoCommand.self]),
      CommandGroup(
        name: "Lists and starter packs", subcommands: [ListsCommand.self, StarterPacksCommand.self]),
      CommandGroup(
        name: "History and statistics",
        subcommands: [
          SnapshotCommand.self, HistoryCommand.self, LiveCommand.self, WatchCommand.self, DaemonCommand.self,
          StatsCommand.self,
          GoalCommand.self,
          SegmentsCommand.self,
        ]),
      CommandGroup(
        name: "Your account",
        subcommands: [
          UICommand.self, LoginCommand.self, LogoutCommand.self, AccountsCommand.self, WhoAmICommand.self,
          DoctorCommand.self,
        ]),
      CommandGroup(
        name: "Tools",
        subcommands: [
          XRPCCommand.self, DatabaseCommand.self, ConfigCommand.self, SandboxCommand.self, DemoCommand.self,
          CompletionCommand.self,
        ]),
    ])

  static func main() async {
    ProcessProtection.apply()
    StandardDescriptors.occupy()
    // A write to a closed socket or pipe reports the error; no signal is needed.
    signal(SIGPIPE, SIG_IGN)
    let process = RunContext.ofProcess()
    let arguments: ArraySlice<String>
    do throws(CommandFault) {
      // A run without arguments would look like success.
      let words = ProcessArguments.all
      guard !words.isEmpty else { throw CommandFault(.internalError, .noArguments) }
      arguments = canonical(words.dropFirst())
      try DescriptorRoom.check()
    } catch {
      process.report(error)
      leave(with: error.status)
    }
    let (deadlines, deadline) = AsyncStream<Duration>.makeStream()
    // The run starts once signals are handled: a signal before that would leave the terminal in its current
    // mode.
    let (watched, startRun) = AsyncStream<Never>.makeStream()
    let run = Task {
      for await _ in watched {}
      try await perform(arguments, in: process) { span in deadline.yield(span) }
    }
    let interruption = Interruption { run.cancel() }
    let watch = interruption.watch()
    startRun.finish()
    Task { for await span in deadlines { interruption.limit(to: span) } }
    let result = await run.result
    withExtendedLifetime(watch) {}
    leave(with: conclude(result, of: arguments, in: process, after: interruption.cause))
  }

  /// Runs one command line and reports how it ended.
  static func run(_ arguments: [String], in process: RunContext) async -> ExitStatus {
    let arguments = canonical(arguments[...])
    do {
      try await perform(arguments, in: process) { _ in }
      return conclude(.success(()), of: arguments, in: process)
    } catch {
      return conclude(.failure(error), of: arguments, in: process)
    }
  }

  /// The arguments with a `help` behind the verb moved in front of it; no account is named `help`.
  private static func canonical(_ arguments: ArraySlice<String>) -> ArraySlice<String> {
    guard verb(of: arguments) != nil, arguments.dropFirst().first == "help" else { return arguments }
    return ["help"] + arguments.prefix(1) + arguments.dropFirst(2)
  }

  /// - Parameter limit: receives the deadline of the command, if its options set one.
  private static func perform(
    _ arguments: ArraySlice<String>, in process: RunContext, limit: @Sendable (Duration) -> Void
  ) async throws {
    let environment = process.environment
    if let fault = MessageForm.fault(in: environment) { throw fault }
    if let text = ClockShift.invalidText(in: environment) {
      throw CommandFault(.usage, .invalidClockShift(ClockShift.variable, text))
    }
    if ["--version", "-V", "version"].contains(where: { arguments.elementsEqual([$0]) }) {
      return try print(configuration.version, to: process)
    }
    if let topic = HelpTopic(arguments) {
      return try print(topic.text(columns: process.standardOutput.columns), to: process)
    }
    let former = FormerSpelling(arguments)
    let arguments = former?.arguments ?? arguments
    let defaults = try settings(for: arguments, in: environment)
    let command = try await CompletionValues.$current.withValue(completionValues(for: arguments, in: process))
    {
      try parse(arguments, withDefaults: defaults, for: MessageForm(in: environment))
    }
    var process = process
    let rowCommand = command.asRowCommand
    if let rowCommand {
      try rowCommand.checkOutput()
      if let span = rowCommand.common.deadline { limit(span.duration) }
      process.isQuiet = rowCommand.common.quiet
    }
    if let former { process.report(former.message) }
    // Each cast looks through all conformances of the program.
    if let command = rowCommand ?? command as? any KithCommand {
      do { try await command.run(in: process) } catch { throw await process.explained(error) }
    } else {
      try await runOther(command)
    }
  }

  /// Runs a command of ArgumentParser, such as its help.
  private static func runOther(_ command: any ParsableCommand) async throws {
    var command = command
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
  }

  /// The values that a completion script may ask for; none for a command.
  private static func completionValues(
    for arguments: ArraySlice<String>, in process: RunContext
  ) async -> CompletionValues {
    guard arguments.first == "---completion" else { return CompletionValues() }
    return await .stored(in: process.environment)
  }

  /// The command that the first argument names.
  static func verb(of arguments: ArraySlice<String>) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0.configuration.commandName == arguments.first }
  }

  /// Parses the arguments.
  ///
  /// Each command without subcommands parses its own arguments: starting at the root, or at `lists`, the parser
  /// builds the options of each subcommand several times, which takes longer than checking two hundred targets.
  /// Help and usage errors go through the root, which knows the full command name, as do requests of completion
  /// scripts, which a subcommand does not look for. A message for scripts has no usage, so what the command says is
  /// enough.
  static func parse(
    _ arguments: ArraySlice<String>, for form: MessageForm
  ) throws -> any ParsableCommand {
    let (named, remaining) = command(of: arguments)
    if named != Self.self {
      do {
        let command = try named.parseAsRoot(Array(remaining))
        if type(of: command) == named { return command }
      } catch {
        if form == .json, !exitCode(for: error).isSuccess { throw error }
      }
    }
    return try parseAsRoot(Array(arguments))
  }

  /// The innermost command that the first arguments name, and the arguments behind its name.
  static func command(
    of arguments: ArraySlice<String>
  ) -> (command: any ParsableCommand.Type, arguments: ArraySlice<String>) {
    var (named, remaining): (any ParsableCommand.Type, ArraySlice<String>) = (Self.self, arguments)
    while let word = remaining.first,
      let next = named.configuration.subcommands.first(where: { $0.commandName == word })
    {
      (named, remaining) = (next, remaining.dropFirst())
    }
    return (named, remaining)
  }

  /// Returns the exit status of a run and reports its error.
  private static func conclude(
    _ result: Result<Void, any Error>, of arguments: ArraySlice<String>, in process: RunContext,
    after cause: Interruption.Cause? = nil
  ) -> ExitStatus {
    guard case .failure(let error) = result else { return .success }
    if let cause {
      // Errors caused by the interruption are not reported; the summary of the interrupted run is.
      if let fault = CommandFault(any: error), fault.status == .interrupted { process.report(fault) }
      if case .deadline(let span) = cause { process.report(.endedByDeadline(span)) }
      return cause.status
    }
    guard let fault = CommandFault(any: error) ?? internalFault(error) else {
      return answer(error, to: arguments, in: process)
    }
    process.report(fault)
    return fault.status
  }

  /// Ends the process without the exit handlers of libraries: that of OpenSSL frees memory that a thread
  /// closing its connections may still use. No output is lost, because none is buffered.
  private static func leave(with status: ExitStatus) -> Never { _exit(status.rawValue) }

  /// Prints what the argument parser reports: help, or a usage error.
  private static func answer(
    _ error: any Error, to arguments: ArraySlice<String>, in process: RunContext
  ) -> ExitStatus {
    if let mistake = CommandSuggestion(arguments, of: Self.self) {
      process.report(mistake.message)
      return .usage
    }
    if exitCode(for: error).isSuccess {
      let words = HelpPage.shortened(fullMessage(for: error))
      return conclude(Result { try print(words, to: process) }, of: arguments, in: process)
    }
    if MessageForm(in: process.environment) == .json {
      process.report(
        .usage((error as? ValidationError)?.message ?? OptionGuess.corrected(message(for: error))))
      return .usage
    }
    var words = OptionGuess.corrected(fullMessage(for: error))
    // Errors that a subcommand throws while running lack its name and would show the usage of the root.
    if let verb = verb(of: arguments), let error = error as? ValidationError {
      words = """
        \(Program.messagePrefix)\(error.message)
        Usage: \(usageString(for: verb))
          See '\(name) \(verb.commandName) --help' for more information.
        """
    }
    let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
    process.write(lines.map { TerminalText.clean($0) + "\n" }.joined())
    return .usage
  }

  /// Prints help or the version to standard output.
  private static func print(_ words: String, to process: RunContext) throws(CommandFault) {
    try process.standardOutput.write(Array((words + "\n").utf8))
  }

  /// Unknown errors are internal errors and must not exit with 1, which means "no".
  private static func internalFault(_ error: any Error) -> CommandFault? {
    exitCode(for: error) == .failure ? CommandFault(.internalError, .internalError(error)) : nil
  }
}

extension ParsableCommand {
  /// The command, if it is one with the common options.
  ///
  /// A cast of `Self`, whose type is known here, looks through all conformances once, that of an existential twice.
  fileprivate var asRowCommand: (any RowCommand)? { self as? any RowCommand }
}
