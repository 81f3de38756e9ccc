// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithPosts
import KithRelationships
import KithWriting

/// `kith post`: publishes a post or a thread.
struct PostCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "post",
    abstract: "Publish a post, or a thread.",
    discussion: """
      Shows what would be published and asks. Mentions of accounts, links and #tags become links. A post has at most \
      300 characters and 3,000 bytes; --thread splits a longer text at the ends of sentences into replies to each \
      other, which are published together or not at all. Who may reply to it and quote it is what you have set in \
      your app, unless --replies says otherwise. The post is journaled before it is sent and never published twice; \
      kith undo deletes it.

        kith post "Good morning from @alice.test"
        kith post "I agree." --reply-to https://bsky.app/profile/alice.test/post/3jui7kd54zh2y
        kith post - --thread --lang en --replies followers < essay.txt
        kith post "The sea today" --image sea.jpg --alt "Waves below a grey sky"

      \(ChangeRow.help)
      """)

  @Argument(help: ArgumentHelp("The text; - is stdin.", valueName: "text")) var text: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The post to reply to: AT-URI or URL of its page.", valueName: "post"))
  var replyTo: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The post to quote: AT-URI or URL of its page.", valueName: "post"))
  var quote: String?

  @Option(
    name: .customLong("image"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      Picture to add, up to four; the file is published without what it says besides its pixels and their colours, \
      such as where it was taken.
      """, valueName: "file"), completion: .file(), transform: PlacedValue.init(read:))
  var images: [PlacedValue] = []

  @Option(
    name: .customLong("alt"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Alt text of the --image before it: a description for people who cannot see the picture; '' for none.",
      valueName: "text"), transform: PlacedValue.init(read:))
  var alts: [PlacedValue] = []

  @Flag(
    help:
      "Do not load the page of the first link to make a card of its title and picture, which happens before the question."
  )
  var noCard = false

  @Flag(help: "Split a text that is too long for one post into a thread.") var thread = false

  @Option(
    name: .customLong("lang"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Language of the text, such as en or pt-BR; up to three.", valueName: "tag"))
  var languages: [String] = []

  @Option(
    name: .customLong("label"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Put a label on it: \(Self.labelNames.joined(separator: ", ")).", valueName: "label"))
  var labels: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      Who may reply: everyone, followers, following, mentioned, none, or a list of yours; may be repeated. A list \
      is public. Default: as you have set it in your app.
      """, valueName: "who"))
  var replies: [String] = []

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  /// The labels that authors put on their own posts.
  static let labelNames = ["porn", "sexual", "nudity", "graphic-media"]

  /// What a file may contain; far more than a thread has.
  private static let mostBytes = 1 << 20

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func validate() throws {
    for language in languages where LanguageTag(language) == nil {
      throw ValidationError("--lang must be a language such as en or pt-BR, not \"\(language)\".")
    }
    guard languages.count <= 3 else { throw ValidationError("--lang can be given at most three times.") }
    guard images.count <= PostDraft.mostPictures else {
      throw ValidationError("--image can be given at most \(PostDraft.mostPictures) times.")
    }
    _ = try givenDescriptions()
    for label in labels where !Self.labelNames.contains(label) {
      throw ValidationError(
        "--label must be one of \(Self.labelNames.joined(separator: ", ")), not \"\(label)\".")
    }
    guard replies.count <= PostAudience.mostRules else {
      throw ValidationError("--replies can be given at most \(PostAudience.mostRules) times.")
    }
    if replies.count > 1, let whole = replies.first(where: { ["everyone", "none"].contains($0) }) {
      throw ValidationError("--replies \(whole) cannot be combined with another --replies.")
    }
    if replyTo != nil, !replies.isEmpty, replies != ["everyone"] {
      throw ValidationError(
        "--replies \(replies[0]): only the first post of a thread says who may reply; omit --replies.")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    // A file that is not there is reported before a description of it is asked for.
    var pictures: [PreparedPicture] = []
    for image in images {
      pictures.append(try await PreparedPicture(image.text, atMost: Picture.mostBytes, in: process))
    }
    let given = try givenDescriptions()
    let alts = options.explain ? given.map { $0 ?? "" } : try await descriptions(given, process)
    var publish = PublishPosts(text == "-" ? try await wholeText(process) : text)
    publish.splits = thread
    publish.languages = languages.compactMap { LanguageTag($0) }
    publish.labels = labels
    publish.wantsCard = !noCard
    (publish.answered, publish.quoted, publish.replies) = (replyTo, quote, audience)
    publish.pictures = zip(pictures, alts).map { prepared, alt in
      PublishPosts.DescribedPicture(prepared.picture, alt: alt, named: prepared.path)
    }
    if !common.quiet, !options.explain {
      for (prepared, alt) in zip(pictures, alts) { context.report(prepared.preview(alt: alt)) }
    }
    try await ChangeRun(context: context, options: options).finish(publish)
  }

  /// What each picture shows, as the --alt after it says; nil where none does.
  private func givenDescriptions() throws -> [String?] {
    var descriptions = [String?](repeating: nil, count: images.count)
    for alt in alts {
      try Self.checkLength(of: alt.text)
      guard let place = images.lastIndex(where: { $0.place < alt.place }) else {
        throw ValidationError("--alt \"\(alt.text)\" has no --image before it to describe.")
      }
      guard descriptions[place] == nil else {
        throw ValidationError("--image \(images[place].text) has more than one --alt after it.")
      }
      descriptions[place] = alt.text
    }
    return descriptions
  }

  /// What each picture shows; asked for where nothing is said.
  private func descriptions(_ given: [String?], _ process: RunContext) async throws -> [String] {
    // All are checked before anything is asked.
    let given = try given.map { alt in try alt.map { try PublishPosts.published($0, from: "--alt") } }
    var descriptions: [String] = []
    for (image, given) in zip(images, given) {
      if let given {
        descriptions.append(given)
        continue
      }
      guard Self.canAsk(process), let prompt = TerminalPrompt() else { throw Self.undescribed(image.text) }
      defer { prompt.end() }
      let question = "What does \(TerminalText.clean(image.text)) show, for those who do not see it? "
      let answer = try await process.questionTime.measuring(by: process.time) {
        try await prompt.ask(question)
      }
      descriptions.append(try PublishPosts.published(answer, from: "--alt"))
      try Self.checkLength(of: answer)
    }
    return descriptions
  }

  private static func canAsk(_ process: RunContext) -> Bool { process.standardError.isTerminal }

  private static func undescribed(_ image: String) -> any Error {
    ValidationError(
      "--image \(image): say what it shows with --alt TEXT after it, or --alt '' if that cannot be said.")
  }

  private static func checkLength(of alt: String) throws {
    guard alt.count <= mostCharactersOfAlt else {
      throw ValidationError(
        "--alt has \(alt.count) characters; the app shows at most \(mostCharactersOfAlt).")
    }
  }

  /// The limit of the Bluesky app; the lexicon has none.
  private static let mostCharactersOfAlt = 2_000

  private func wholeText(_ process: RunContext) async throws -> String {
    let source = try process.file("-")
    var bytes: [UInt8] = []
    while case let piece = try await source.next(), !piece.isEmpty {
      bytes += piece
      guard bytes.count <= Self.mostBytes else {
        throw ValidationError("The text is longer than \(Self.mostBytes) bytes.")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ValidationError("The text is not UTF-8.")
    }
    return text
  }

  private var audience: PublishPosts.Replies {
    switch replies {
    case []: .asUsual
    case ["everyone"]: .everyone
    case ["none"]: .only([])
    default:
      .only(
        replies.map { word in
          PostAudience.Rule.named.first { $0.key == word }.map { .rule($0.value) } ?? .list(word)
        })
    }
  }
}
