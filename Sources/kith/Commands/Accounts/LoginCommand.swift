// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// `kith login`: signs in to an account.
struct LoginCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "login",
    abstract: "Sign in to an account.",
    discussion: """
      The handle is verified from this machine, by its DNS record and its web server, and the account's \
      server is taken from its DID document; both are shown before the password prompt. A handle that cannot \
      be verified is refused: sign in with the DID, or name your server with --pds, which then receives the \
      password. If a handle resolves differently than at the last sign-in, you are asked on a terminal; \
      without one, it is refused.

      Use an app password: it is enough for kith and can be revoked separately; create one in the settings \
      of your app. The password is read from the terminal, stdin or ATP_AUTH_PASSWORD, and is not stored. \
      The session is stored in $XDG_STATE_HOME/kith (~/.local/state/kith), in files that only you can read. \
      The account becomes the current one.

        kith login alice.test
        pass show alice | kith login alice.test --password-stdin
      """)

  @Argument(
    help: ArgumentHelp(
      "A handle or DID.", discussion: "Default: ATP_AUTH_USERNAME.", valueName: "account"),
    completion: .account)
  var name: String?

  @Flag(help: "Read the password from stdin.")
  var passwordStdin = false

  @Flag(
    help: ArgumentHelp(
      "Read the second-factor code from stdin.",
      discussion: "Default: ATP_AUTH_FACTOR, else a prompt on the terminal if the server requires one."))
  var authFactorStdin = false

  @Flag(
    help: ArgumentHelp(
      "Allow a server with plain http on another machine.",
      discussion: "Others on the network can read the password and the tokens. Stored with the session."))
  var insecureHttp = false

  @Option(help: .hidden) var authFactor: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  mutating func validate() throws {
    if authFactor != nil {
      throw ValidationError(
        "Every user of this machine can read arguments; pass the code with --auth-factor-stdin or ATP_AUTH_FACTOR."
      )
    }
    if passwordStdin, authFactorStdin {
      throw ValidationError(
        "stdin can hold the password or the code, not both; pass the other with ATP_AUTH_PASSWORD or ATP_AUTH_FACTOR."
      )
    }
  }

  func run(in process: RunContext) async throws {
    let environment = process.environment
    let account = try account(environment)
    // A terminal shows what is typed.
    if passwordStdin || authFactorStdin, try process.file("-").isTyped {
      throw CommandFault(.usage, .secretFromTerminal)
    }
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    defer { if common.verbose { cost.report() } }
    var signIn = SignInAccount(account) { place in
      if !common.quiet { context.report(.signingIn(place)) }
      return try await password(of: place, process)
    }
    signIn.allowsPlainText = insecureHttp
    signIn.authFactor = { error in
      if let error { try await askForAuthFactor(error, context) } else { try await authFactor(process) }
    }
    switch try await signIn.run(
      in: context.workspace, Reporter<Never>(rows: { _ in }, ask: { try await context.answer($0) })
    ) {
    case .declined: throw CommandFault(OperationError.declined)
    case .signedIn(let session): if !common.quiet { report(of: session, context) }
    }
  }

  private func report(of session: Session, _ context: CommandContext) {
    context.report(.signedIn(session))
    if session.hasFullAccess { context.report(.mainPassword(session)) }
    if session.isActive == false { context.report(.accountInactive(session)) }
  }

  private func account(_ environment: [String: String]) throws -> ATIdentifier {
    if common.account != nil {
      throw ValidationError("Name the account to sign in as an argument: kith login HANDLE.")
    }
    guard let name = name ?? environment["ATP_AUTH_USERNAME"], !name.isEmpty else {
      throw ValidationError("No account given: name a handle or DID, or set ATP_AUTH_USERNAME.")
    }
    return try ActorInput(parsing: name).identifier
  }

  private func password(
    of place: SignInTarget, _ process: RunContext
  ) async throws -> Password {
    let text: String
    if passwordStdin {
      text = try await Self.stdin(of: process)
    } else if let variable = process.environment["ATP_AUTH_PASSWORD"], !variable.isEmpty {
      text = variable
    } else if let prompt = TerminalPrompt() {
      defer { prompt.end() }
      let question = "Password for \(place.account) at \(place.pds.authority) (an app password is safer): "
      text = try await process.questionTime.measuring(by: process.time) {
        try await prompt.ask(question, isSecret: true)
      }
    } else {
      throw CommandFault(.usage, .noPassword)
    }
    guard let password = Password(text) else {
      throw CommandFault(.usage, .invalidPassword)
    }
    return password
  }

  /// The second-factor code, if it was given in advance.
  private func authFactor(_ process: RunContext) async throws -> String? {
    let code =
      authFactorStdin ? try await Self.stdin(of: process) : process.environment["ATP_AUTH_FACTOR"] ?? ""
    guard code.allSatisfy(\.isWhitespace) else { return code }
    if authFactorStdin { throw CommandFault(.usage, .noSecondFactor) }
    return nil
  }

  /// Asks for the second-factor code that the server requires.
  private func askForAuthFactor(
    _ error: SessionError, _ context: CommandContext
  ) async throws -> String {
    guard let prompt = TerminalPrompt() else { throw CommandFault(.notAllowed, .secondFactor(error)) }
    defer { prompt.end() }
    context.report(Message(error))
    let process = context.process
    return try await process.questionTime.measuring(by: process.time) {
      try await prompt.ask("Second-factor code: ")
    }
  }

  /// The content of stdin, without the final line break.
  private static func stdin(of process: RunContext) async throws -> String {
    String(decoding: try await process.file("-").readText(limit: 1 << 20), as: UTF8.self)
  }
}
