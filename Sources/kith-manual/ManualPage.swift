// SPDX-License-Identifier: Apache-2.0

/// The page of one command.
struct ManualPage {
  let fileName: String
  let text: String

  init(_ entry: Manual.Entry, of manual: Manual) {
    fileName = "\(entry.name).1"
    var renderer = PageRenderer(entry, of: manual)
    renderer.render()
    text = renderer.roff.text
  }
}

/// Writes the sections of a page, in the order of man-pages(7).
struct PageRenderer {
  private let entry: Manual.Entry
  private let manual: Manual
  private(set) var roff = Roff()

  private var command: CommandInfo { entry.command }
  private var arguments: [ArgumentInfo] { command.visibleArguments }

  init(_ entry: Manual.Entry, of manual: Manual) {
    self.entry = entry
    self.manual = manual
  }

  mutating func render() {
    roff.title(
      entry.name.uppercased(), date: manual.date, source: "kith \(manual.version)", manual: "Kith manual")
    renderHead()
    renderDescription()
    renderSubcommands()
    renderArguments()
    renderOptions()
    renderTable("EXIT STATUS", manual.table(.exitStatus))
    renderSurroundings()
    renderExamples()
    renderReferences()
  }

  private mutating func renderHead() {
    roff.macro("SH", "NAME")
    var abstract = command.abstract ?? ""
    if abstract.hasSuffix(".") { abstract.removeLast() }
    roff.fill("\(Roff.escape(entry.name)) \\- \(Roff.escape(abstract))")
    roff.macro("SH", "SYNOPSIS")
    roff.fill(Synopsis(entry).text)
  }

  private mutating func renderDescription() {
    let paragraphs = entry.discussion.paragraphs
    roff.macro("SH", "DESCRIPTION")
    roff.fill(Roff.escape(command.abstract ?? ""))
    for paragraph in paragraphs {
      roff.macro("PP")
      roff.fill(Roff.escape(paragraph))
    }
  }

  private mutating func renderSubcommands() {
    let subcommands = manual.subcommands(of: entry)
    guard !subcommands.isEmpty else { return }
    roff.macro("SH", "COMMANDS")
    for subcommand in subcommands {
      let isDefault = subcommand.command.commandName == command.defaultSubcommand
      renderItem(
        Roff.bold(subcommand.command.commandName) + (isDefault ? " (default)" : ""),
        [subcommand.command.abstract ?? "", "See \(subcommand.name)(1)."])
    }
  }

  private mutating func renderArguments() {
    let positionals = arguments.filter { $0.kind == .positional }
    guard !positionals.isEmpty else { return }
    roff.macro("SH", "ARGUMENTS")
    for argument in positionals { renderArgument(argument) }
  }

  /// The command's own options first, then those of each section, help and version last.
  private mutating func renderOptions() {
    let options = arguments.filter { $0.kind != .positional }
    guard !options.isEmpty else { return }
    roff.macro("SH", "OPTIONS")
    let standing = options.filter(\.isHelpOrVersion)
    for option in options where option.sectionTitle == nil && !option.isHelpOrVersion {
      renderArgument(option)
    }
    var titles: [String] = []
    for title in options.compactMap(\.sectionTitle) where !titles.contains(title) { titles.append(title) }
    for title in titles {
      roff.macro("SS", title)
      for option in options where option.sectionTitle == title { renderArgument(option) }
    }
    if !titles.isEmpty { roff.macro("SS", "Help") }
    for option in standing { renderArgument(option) }
  }

  private mutating func renderArgument(_ argument: ArgumentInfo) {
    renderItem(argument.heading, argument.explanations)
  }

  private mutating func renderTable(_ title: String, _ rows: [Discussion.Row]) {
    guard !rows.isEmpty else { return }
    roff.macro("SH", title)
    for row in rows { renderItem(Roff.bold(row.term), [row.sentence]) }
  }

  /// The root's page has all variables and files, other pages those that they name.
  private mutating func renderSurroundings() {
    for (title, section) in [("ENVIRONMENT", Discussion.Section.environment), ("FILES", .files)] {
      let rows = manual.table(section)
      renderTable(title, entry.path.count == 1 ? rows : rows.filter(isNamed))
    }
  }

  private func isNamed(_ row: Discussion.Row) -> Bool {
    let texts = [command.discussion ?? ""] + arguments.flatMap(\.explanations)
    return row.variables.contains { variable in texts.contains { $0.contains(variable) } }
  }

  private mutating func renderExamples() {
    let examples = manual.examples(of: entry)
    guard !examples.isEmpty else { return }
    roff.macro("SH", "EXAMPLES")
    for (index, example) in examples.enumerated() {
      if index > 0 { roff.macro("PP") }
      roff.example(example)
    }
  }

  private mutating func renderReferences() {
    var entries: [Manual.Entry] = []
    for other in [manual.entries[0]] + [manual.parent(of: entry)].compactMap(\.self)
      + manual.subcommands(of: entry)
      + manual.mentions(in: entry.discussion.paragraphs.joined(separator: "\n"))
    where other.path != entry.path && !entries.contains(where: { $0.path == other.path }) {
      entries.append(other)
    }
    guard !entries.isEmpty else { return }
    roff.macro("SH", "SEE ALSO")
    roff.fill(entries.map { "\(Roff.bold($0.name))(1)" }.joined(separator: ", "))
  }

  /// A heading, and what stands below it.
  private mutating func renderItem(_ heading: String, _ paragraphs: [String]) {
    roff.macro("TP")
    roff.line(heading)
    for (index, paragraph) in paragraphs.enumerated() {
      if index > 0 { roff.macro("br") }
      roff.fill(Roff.escape(paragraph))
    }
  }
}
