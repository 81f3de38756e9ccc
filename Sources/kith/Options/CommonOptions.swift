// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options that every command takes, after its name: how it prints, as which account it acts, and for how long.
struct CommonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Output format.",
      discussion: "Default: table on a terminal, ndjson in a pipe."))
  var format: FormatOption?

  @Flag(help: "Same as --format json.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Print only these fields, in this order; for json, ndjson and csv.", valueName: "a,b,c"))
  var fields: String?

  @Flag(
    name: .customLong("raw-csv"),
    help: ArgumentHelp(
      "Do not escape CSV cells that a spreadsheet would run as formulas.",
      discussion: "By default, cells that begin with = + - @ get a leading apostrophe."))
  var rawCSV = false

  @Flag(name: .shortAndLong, help: "Print only errors (and no rows with --is).")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print calls, bytes and retries to stderr.")
  var verbose = false

  @Flag(help: "No colours (also NO_COLOR, TERM=dumb; CLICOLOR_FORCE turns them on).")
  var noColor = false

  @Option(
    help: ArgumentHelp(
      "Act as this account.", discussion: "A signed-in handle or DID. Default: the current account.",
      valueName: "account"), completion: .account)
  var account: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End the run after this time with exit code 75.",
      discussion: "Such as 90s, 30m or 12h. Completed changes stay; a job can be resumed.", valueName: "span"),
    transform: DurationOption.init(parsing:))
  var deadline: DurationOption?

  @Flag(help: "Ignore the cache.")
  var noCache = false

  mutating func validate() throws {
    if json, let format, format != .rows(.json) {
      throw ValidationError(
        "--json and --format \(format) cannot be combined; omit one of them.")
    }
    if fields != nil, format == .rows(.table) {
      throw ValidationError("--fields is for json, ndjson and csv; omit --format table.")
    }
  }
}

/// Which servers the command calls.
struct NetworkOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "URL of the AppView.", discussion: "Default: KITH_APPVIEW, else https://public.api.bsky.app.",
      valueName: "url"))
  var appview: String?

  @Option(
    help: ArgumentHelp(
      "URL of the PDS; may be on a private network.", discussion: "Default: ATP_PDS_HOST.", valueName: "url"))
  var pds: String?

  @Option(
    help: ArgumentHelp(
      "URL of the PLC directory.", discussion: "Default: ATP_PLC_HOST, else https://plc.directory.",
      valueName: "url"))
  var plc: String?

  @Option(
    help: ArgumentHelp(
      "URL of a backlink index (Constellation), for data that no AppView lists.",
      discussion: "Default: KITH_INDEX, else none.", valueName: "url"))
  var index: String?

  @Option(
    help: ArgumentHelp(
      "PEM certificates to trust instead of the system's.", discussion: "Default: SSL_CERT_FILE.",
      valueName: "file"), completion: .file())
  var caFile: String?

  @Option(
    help: ArgumentHelp(
      "Your contact address, sent to server operators in User-Agent.",
      discussion: "An email address or URL, sent only to services that you name. Default: KITH_CONTACT.",
      valueName: "contact"))
  var contact: String?
}
