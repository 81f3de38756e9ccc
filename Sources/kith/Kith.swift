// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// The command `kith`.
@main
struct Kith: AsyncParsableCommand {
  private static let name = Program.name

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Who follows, blocks or befriends whom on the AT Protocol.",
    discussion: """
      Actors are named by handle, @handle, DID, profile URL or AT-URI. Data goes to stdout, talk to stderr.

      Exit codes: 0 done or yes, 1 no, 64 wrong usage, 65 not an identifier, 67 no such account, \
      69 service unreachable, 70 a fault of our own, 74 file trouble, 75 asked too often or points used up: try later, \
      76 an answer that breaks the protocol, 77 not signed in or not allowed, 130 interrupted, \
      143 terminated, 129 hung up.

      Environment: KITH_APPVIEW, ATP_PDS_HOST and ATP_PLC_HOST name services, KITH_RESOLVER one that verifies the \
      handles of a local network, KITH_INDEX an index of backlinks, SSL_CERT_FILE certificates, \
      KITH_CONTACT how you can be reached, ATP_AUTH_USERNAME, ATP_AUTH_PASSWORD and ATP_AUTH_FACTOR who signs in, \
      KITH_APPVIEW_PROXY the AppView that an account's server passes calls on to \
      (did:web:api.bsky.app#bsky_appview); XDG_STATE_HOME holds sessions, XDG_DATA_HOME jobs and history; NO_COLOR and \
      CLICOLOR_FORCE decide on colours; KITH_MESSAGES=json writes each message on stderr as a JSON object: \
      level, code, message, and fields of that code.
      """,
    version: "\(name) \(Program.version)",
    subcommands: [
      LoginCommand.self, LogoutCommand.self, AccountsCommand.self, WhoAmICommand.self, CheckCommand.self,
      ResolveCommand.self, FollowersCommand.self, FollowingCommand.self, MutualsCommand.self,
      NotFollowingBackCommand.self, NotFollowedBackCommand.self, KnownFollowersCommand.self,
      CommonCommand.self,
      BlocksCommand.self, BlockedByCommand.self, MutesCommand.self, ExportCommand.self, ImportCommand.self,
      FollowCommand.self, UnfollowCommand.self,
      BlockCommand.self,
      UnblockCommand.self,
      MuteCommand.self, UnmuteCommand.self, BlockListCommand.self, UnblockListCommand.self,
      MuteListCommand.self, UnmuteListCommand.self, ListsCommand.self,
      StarterPacksCommand.self, ReportCommand.self, JobsCommand.self, UndoCommand.self, SnapshotCommand.self,
      HistoryCommand.self,
      WatchCommand.self, StatsCommand.self, GoalCommand.self, SegmentsCommand.self, DoctorCommand.self,
      DatabaseCommand.self, XRPCCommand.self, SandboxCommand.self,
      DemoCommand.self, CompletionCommand.self,
    ])

  // What the parser of options says begins as all other talk does.
  static let _errorPrefix = "kith: "

  static func main() async {
    ProcessProtection.apply()
    StandardDescriptors.occupy()
    // A peer or a reader that goes away is told of by the write that fails, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    let arguments = canonical(CommandLine.arguments.dropFirst())
    let (deadlines, deadline) = AsyncStream<Duration>.makeStream()
    // A signal that came before anybody watches for it would end the process with the terminal as it is.
    let (watched, startRun) = AsyncStream<Never>.makeStream()
    let run = Task {
      for await _ in watched {}
      try await perform(arguments) { span in deadline.yield(span) }
    }
    let interruption = Interruption { run.cancel() }
    let watch = interruption.watch()
    startRun.finish()
    Task { for await span in deadlines { interruption.limit(to: span) } }
    let result = await run.result
    withExtendedLifetime(watch) {}
    leave(with: conclude(result, of: arguments, after: interruption.cause))
  }

  /// Runs one command line within ``RunContext/current``, and says what there is to say of its end.
  static func run(_ arguments: [String]) async -> ExitStatus {
    let arguments = canonical(arguments[...])
    do {
      try await perform(arguments) { _ in }
      return conclude(.success(()), of: arguments)
    } catch {
      return conclude(.failure(error), of: arguments)
    }
  }

  /// The arguments with `help` in front of a verb that it stands behind: no account is called so.
  private static func canonical(_ arguments: ArraySlice<String>) -> ArraySlice<String> {
    guard verb(of: arguments) != nil, arguments.dropFirst().first == "help" else { return arguments }
    return ["help"] + arguments.prefix(1) + arguments.dropFirst(2)
  }

  /// - Parameter limit: is told how long the command may take, where its options say so.
  private static func perform(
    _ arguments: ArraySlice<String>, limit: @Sendable (Duration) -> Void
  ) async throws {
    if let fault = MessageForm.fault { throw fault }
    if ["--version", "-V", "version"].contains(where: { arguments.elementsEqual([$0]) }) {
      return try print(configuration.version)
    }
    var command = try parse(arguments)
    if let span = deadline(of: command) { limit(span) }
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
  }

  /// The time that a command has, where its common options name one; found as the parser finds options.
  static func deadline(of command: any ParsableCommand) -> Duration? {
    Mirror(reflecting: command).children.lazy.compactMap { $0.value as? OptionGroup<CommonOptions> }
      .first?.wrappedValue.deadline?.duration
  }

  /// The verb that the first argument names.
  private static func verb(of arguments: ArraySlice<String>) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0.configuration.commandName == arguments.first }
  }

  /// The command that the arguments name.
  ///
  /// A verb reads its arguments by itself: on its way from the root to the verb the parser makes up the verb's
  /// options several times, which takes longer than to ask about two hundred targets. Help, and what is wrong
  /// with the arguments, are the root's affair, which knows the name of the whole.
  /// A verb that says that it stands below another command does not look for requests of completion scripts either.
  private static func parse(_ arguments: ArraySlice<String>) throws -> any ParsableCommand {
    if let verb = verb(of: arguments),
      let command = try? verb.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == verb
    {
      return command
    }
    return try parseAsRoot(Array(arguments))
  }

  /// What a run amounts to; says what is to be said of it.
  private static func conclude(
    _ result: Result<Void, any Error>, of arguments: ArraySlice<String>,
    after cause: Interruption.Cause? = nil
  ) -> ExitStatus {
    guard case .failure(let error) = result else { return .success }
    if let cause {
      // What failed because of that is no news; what it came to is.
      if let fault = error as? CommandFault, fault.status == .interrupted { fault.say() }
      if case .deadline(let span) = cause { StandardError.say(.endedByDeadline(span)) }
      return cause.status
    }
    guard let fault = CommandFault(error) ?? ownFault(error) else { return answer(error, to: arguments) }
    fault.say()
    return fault.status
  }

  /// Ends the process without the exit handlers of libraries: OpenSSL's takes away what a thread that closes its
  /// connections at that moment still uses. Nothing is left in buffers: all output is written as it is made.
  private static func leave(with status: ExitStatus) -> Never { _exit(status.rawValue) }

  /// Says what the parser of options has to say: help, or what was wrong with the arguments.
  private static func answer(_ error: any Error, to arguments: ArraySlice<String>) -> ExitStatus {
    if let mistake = CommandSuggestion(arguments, of: Self.self) {
      StandardError.say(mistake.message)
      return .usage
    }
    // The parser's guess is the nearest in spelling, and nobody who mistypes an option means to skip the question.
    let guess = ". Did you mean '--yes'?"
    var words = fullMessage(for: error).replacing(guess, with: "")
    if exitCode(for: error).isSuccess {
      return conclude(Result { try print(words) }, of: arguments)
    }
    // What a verb finds wrong as it runs comes without its name, and would be taken for the whole's.
    if let verb = verb(of: arguments), let error = error as? ValidationError {
      words = """
        \(_errorPrefix)\(error.message)
        Usage: \(usageString(for: verb))
          See '\(name) \(verb._commandName) --help' for more information.
        """
    }
    if MessageForm.current == .json {
      StandardError.say(
        .usage((error as? ValidationError)?.message ?? message(for: error).replacing(guess, with: "")))
      return .usage
    }
    let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
    StandardError.write(lines.map { TerminalText.clean($0) + "\n" }.joined())
    return .usage
  }

  /// Prints what was asked for: help, or the version.
  private static func print(_ words: String) throws(CommandFault) {
    try OutputDescriptor.standardOutput.write(Array((words + "\n").utf8))
  }

  /// An error that nothing above knows is a fault of ours, and must not end with 1, which means "no".
  private static func ownFault(_ error: any Error) -> CommandFault? {
    exitCode(for: error) == .failure ? CommandFault(.ownFault, .internalError(error)) : nil
  }
}
