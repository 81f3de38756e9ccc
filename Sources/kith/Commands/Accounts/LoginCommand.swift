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

  mutating func run() async throws {
    let environment = RunContext.current.environment
    let account = try account(environment)
    // A terminal shows what is typed.
    if passwordStdin || authFactorStdin, try InputDescriptor(path: "-").isTyped {
      throw CommandFault(.usage, .secretFromTerminal)
    }
    let wiring = try Wiring(common, network, environment: environment)
    let cost = CostReport(wiring.meter)
    defer { if common.verbose { cost.say() } }
    let sessions = try wiring.workspace.sessions()
    let place = try await sessions.place(of: account, at: wiring.services.pds, allowsPlainText: insecureHttp)
    let known = try wiring.stores.knownAccounts()
    // Always read: a file that cannot be used is detected before anything is sent.
    let before = try known.contradiction(of: place, beside: try await stored(place.did, in: sessions.store))
    if let before, wiring.services.pds == nil { try await confirm(place, before) }
    if !common.quiet { StandardError.say(.signingIn(place)) }
    let prompt = TerminalPrompt()
    defer { prompt?.end() }
    let password = try await password(of: place, prompt, environment)
    let code = try await authFactor(environment)
    let session = try await signIn(at: place, password, code, sessions, prompt)
    try known.remember(account, session)
    guard !common.quiet else { return }
    StandardError.say(.signedIn(session))
    if session.hasFullAccess { StandardError.say(.mainPassword(session)) }
    if session.isActive == false { StandardError.say(.accountInactive(session)) }
  }

  /// The session of an earlier sign-in; nil for one whose content cannot be read, which this sign-in replaces.
  private func stored(_ did: DID?, in store: any SessionStore) async throws -> Session? {
    guard let did else { return nil }
    do {
      return try await store.session(of: did)
    } catch let error as SessionError where [.malformedFile, .newerFile].contains(error.code) {
      return nil
    }
  }

  /// Asks for confirmation if an account resolves differently than before.
  private func confirm(_ place: SignInPlace, _ entry: KnownAccounts.Entry) async throws {
    let isAsked = OutputDescriptor.standardError.isTerminal
    if isAsked { StandardError.say(.accountChanged(place, before: entry, .warning)) }
    guard isAsked, let isMeant = try await Confirmation.offer("Sign in at \(place.pds) anyway?") else {
      throw CommandFault(.notAllowed, .accountChanged(place, before: entry, .error))
    }
    guard isMeant else { throw CommandFault(OperationError.declined) }
  }

  private func signIn(
    at place: SignInPlace, _ password: Password, _ authFactor: String?, _ sessions: SessionDirectory,
    _ prompt: TerminalPrompt?
  ) async throws -> Session {
    do {
      return try await sessions.signIn(at: place, password: password, authFactorToken: authFactor)
    } catch let error as SessionError where error.code == .secondFactorRequired && authFactor == nil {
      guard let prompt else {
        throw CommandFault(.notAllowed, .secondFactor(error))
      }
      StandardError.say(Message(error))
      let code = try await prompt.ask("Second-factor code: ")
      return try await sessions.signIn(
        at: place, password: password, authFactorToken: code.filter { !$0.isWhitespace })
    }
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
    of place: SignInPlace, _ prompt: TerminalPrompt?, _ environment: [String: String]
  ) async throws -> Password {
    let text: String
    if passwordStdin {
      text = try await Self.readStdin()
    } else if let variable = environment["ATP_AUTH_PASSWORD"], !variable.isEmpty {
      text = variable
    } else if let prompt {
      text = try await prompt.ask(
        "Password for \(place.account) at \(place.pds.authority) (better: an app password): ", isSecret: true)
    } else {
      throw CommandFault(.usage, .noPassword)
    }
    guard let password = Password(text) else {
      throw CommandFault(.usage, .invalidPassword)
    }
    return password
  }

  /// The second-factor code, if it was given in advance.
  private func authFactor(_ environment: [String: String]) async throws -> String? {
    let code = authFactorStdin ? try await Self.readStdin() : environment["ATP_AUTH_FACTOR"] ?? ""
    let trimmed = code.filter { !$0.isWhitespace }
    if authFactorStdin, trimmed.isEmpty {
      throw CommandFault(.usage, .noSecondFactor)
    }
    return trimmed.isEmpty ? nil : trimmed
  }

  /// The content of stdin, without the final line break.
  private static func readStdin() async throws -> String {
    String(decoding: try await InputDescriptor(path: "-").readText(limit: 1 << 20), as: UTF8.self)
  }
}
