// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithPosts
import KithRelationships
import KithWriting

extension Workspace {
  /// Notes that this machine has published the same posts a short time ago; nil if it has not.
  ///
  /// - Throws: what the journal throws.
  fileprivate func repetition(
    of requests: [RequestedChange], by account: AuthorizedAccount
  ) async throws -> ChangeNote? {
    let subjects = requests.compactMap { try? $0.change.get() }.flatMap(\.subjects)
    let history = try await jobStoreToRead().history(of: subjects, by: account.did)
    return .repetition(in: history.values.flatMap(\.self), at: time.instant)
  }
}

/// Publishes a post or a thread: finds what the text names, reads what it answers and quotes, and applies what the account
/// has set for all its posts.
public struct PublishPosts: ChangeSource {
  public static let name = "publishPosts"

  /// Who may answer a post.
  public enum Replies: Sendable, Hashable {
    /// What the account has set for all its posts.
    case asUsual
    /// Everyone.
    case everyone
    /// Accounts that match any of the rules; none for no account.
    case only([Rule])
  }

  /// Some of those who may answer.
  public enum Rule: Sendable, Hashable {
    /// A rule that needs no list.
    case rule(PostAudience.Rule)
    /// The members of a list: an own one by name, others by AT-URI or address. A list is public.
    case list(String)
  }

  /// A picture, and what it shows; empty for nothing.
  public struct DescribedPicture: Sendable, Hashable {
    public var picture: Picture
    public var alt: String
    /// What it is called in the row of a post without words, such as the name of its file.
    public var name: String

    public init(_ picture: Picture, alt: String, named name: String = "picture") {
      (self.picture, self.alt, self.name) = (picture, alt, name)
    }
  }

  /// The text.
  public var text: String
  /// Whether a text that is too long for one post is split into a thread.
  public var splits = false
  /// The post to answer, by AT-URI or address; nil to begin a thread.
  public var answered: String?
  /// The post to quote, likewise.
  public var quoted: String?
  /// The languages of the text; at most 3.
  public var languages: [LanguageTag] = []
  /// The labels that the author puts on the post.
  public var labels: [String] = []
  /// Who may answer.
  public var replies = Replies.asUsual
  /// Whether to make a card for the first link; its host learns the address of this machine.
  public var wantsCard = true
  /// The pictures of the first post, up to four. It then needs no text, and has no card.
  public var pictures: [DescribedPicture] = []

  public init(_ text: String) { self.text = text }

  public var title: ChangeTitle { Self.title("post") }

  private static func title(_ noun: String) -> ChangeTitle {
    ChangeTitle("post", "published", noun: noun, imperative: "Publish")
  }

  /// - Throws: ``OperationError`` `emptyPost`, `controlCharacter`, `postTooLong`, `markTooLong`, `threadTooLong`, `repliesClosed`,
  ///   `quotesClosed`, `postStateUnknown`, `audienceUnknown`; `RelationshipError` `postNotFound`; others; `CancellationError`.
  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let (workspace, account) = (preparation.workspace, preparation.account)
    let pictures = try pictures.map { described in
      var published = described
      published.alt = try Self.published(described.alt, from: "the description of \(described.name)")
      return published
    }
    let composition = try await compose(as: account, in: workspace)
    preparation.note(.postsComposed(composition))
    if usesList { preparation.note(.listIsPublic) }
    let files = pictures.map(\.picture) + [composition.cardPicture].compactMap(\.self)
    let naming = { @Sendable (blobs: [Blob]) -> [RequestedChange] in
      var drafts = composition.drafts
      drafts[0].pictures = zip(pictures, blobs).map { PostDraft.Picture($1, of: $0.picture, alt: $0.alt) }
      if composition.cardPicture != nil { drafts[0].card?.thumbnail = blobs.last }
      return [RequestedChange(words(of: drafts[0]), Result { try .publish(drafts) })]
    }
    let requests = naming(files.compactMap(\.expectedBlob))
    var prepared = PreparedChanges(requests)
    if composition.drafts.count > 1 { prepared.title = Self.title("thread") }
    (prepared.pictures, prepared.naming) = (files, naming)
    if preparation.asks {
      let repetition = try await workspace.repetition(of: requests, by: account)
      prepared.concern = { _ in .publishes(composition, repetition: repetition) }
    }
    return prepared
  }

  /// The beginning of a post, as its name.
  private func words(of draft: PostDraft) -> String {
    let words = draft.text.text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return words.isEmpty ? pictures.first?.name ?? "quote" : words.shortened(toBytes: 80)
  }

  private var usesList: Bool {
    if case .only(let rules) = replies {
      rules.contains { if case .list = $0 { true } else { false } }
    } else {
      false
    }
  }

  private func compose(as account: AuthorizedAccount, in workspace: Workspace) async throws -> PostComposition
  {
    let pieces = try pieces()
    let answered = try await uri(of: answered, in: workspace)
    let quoted = try await uri(of: quoted, in: workspace)
    var composition = PostComposition()
    let rules = try await rules(of: account, in: workspace)
    let texts = try await marked(pieces, &composition, workspace)
    composition.drafts = texts.map(PostDraft.init)
    async let card = card(for: texts[0].firstLink, workspace)
    let posts = try await PostViews(client: account.appview).posts([answered, quoted].compactMap(\.self))
    if let answered { composition.drafts[0].reply = try reply(to: answered, posts[answered], &composition) }
    if let quoted { composition.drafts[0].quote = try quote(of: quoted, posts[quoted], &composition) }
    let audience = try await audience(of: account, rules, &composition)
    do {
      let found = try await card
      (composition.drafts[0].card, composition.cardPicture) = (found?.card, found?.picture)
    } catch  where !(error is CancellationError) {
      composition.cardFault = error
    }
    for place in composition.drafts.indices {
      composition.drafts[place].languages = languages
      composition.drafts[place].labels = labels
      composition.drafts[place].audience = audience
      // Only the post that begins a thread says who may answer.
      if place > 0 { composition.drafts[place].audience.replies = nil }
    }
    return composition
  }

  private func uri(of name: String?, in workspace: Workspace) async throws -> ATURI? {
    guard let name else { return nil }
    return try await workspace.post(named: name)
  }

  /// Makes no calls, so it assumes that the account restricts who may answer and quote its posts.
  ///
  /// - Throws: ``OperationError`` `emptyPost`, `postTooLong`, `threadTooLong`, or for a text that names no post.
  public func add(to estimate: inout ChangeEstimate) async throws {
    let pieces = try pieces()
    let posts = [answered, quoted].compactMap(\.self)
    if case .only(let rules) = replies {
      for case .list(let name) in rules { try await estimate.addNaming(of: name) }
    }
    for post in posts { estimate.addName(try RecordInput(post: post).owner) }
    estimate.addCalls("app.bsky.feed.getPosts", posts.isEmpty ? 0 : 1)
    estimate.addNames(mentions(in: pieces).count)
    estimate.addCalls("app.bsky.actor.getPreferences")
    estimate.addCalls("com.atproto.repo.uploadBlob", pictures.count)
    var drafts = pieces.map { PostDraft(RichText($0.text)) }
    let rule: DataValue = ["$type": "app.bsky.feed.postgate#disableRule"]
    for place in drafts.indices { drafts[place].audience.quoting = [rule] }
    drafts[0].audience.replies = []
    estimate.add(try .publish(drafts))
  }

  // MARK: Text

  /// Returns a text as it may be published, such as the description of a picture: without a byte order mark at its
  /// beginning.
  ///
  /// - Parameter source: what the text is, for the error.
  /// - Throws: ``OperationError`` `controlCharacter`.
  public static func published(_ text: String, from source: String) throws(OperationError) -> String {
    let plain = PlainText(text)
    if let name = plain.controlName { throw .controlCharacter(name, in: source) }
    return plain.text
  }

  private func pieces() throws -> [MarkedText] {
    let text = try Self.published(text, from: "the text").trimmingEnds
    guard !text.isEmpty else {
      guard quoted != nil || !pictures.isEmpty else { throw OperationError.emptyPost }
      return [MarkedText("")]
    }
    if RichText.fits(text) { return [MarkedText(text)] }
    if let mark = RichText.longMark(in: text) { throw OperationError.markTooLong(mark) }
    guard splits else { throw OperationError.postTooLong(text) }
    let pieces = RichText.pieces(of: text)
    guard pieces.count <= PostDraft.mostInThread else { throw OperationError.threadTooLong(pieces.count) }
    return pieces
  }

  private func marked(
    _ pieces: [MarkedText], _ composition: inout PostComposition, _ workspace: Workspace
  ) async throws -> [RichText] {
    let handles = mentions(in: pieces)
    let found = handles.isEmpty ? [:] : try await workspace.identities.dids(of: handles)
    for handle in handles {
      guard case .failure(let error)? = found[handle] else { continue }
      if error.code == .notFound {
        composition.unknownHandles.append(handle)
      } else {
        composition.unresolvedHandles.append(handle)
      }
    }
    let accounts = found.compactMapValues { try? $0.get() }
    return pieces.map { RichText($0, accounts: accounts) }
  }

  private func mentions(in pieces: [MarkedText]) -> [Handle] {
    var handles: [Handle] = []
    for case .mention(let handle) in pieces.lazy.flatMap(\.marks).map(\.kind) where !handles.contains(handle)
    {
      handles.append(handle)
    }
    return handles
  }

  /// The card of a page, and its picture; nil if none is wanted, or if the page says nothing about itself.
  private func card(
    for link: URI?, _ workspace: Workspace
  ) async throws -> (card: PostDraft.Card, picture: Picture?)? {
    guard wantsCard, pictures.isEmpty, let link,
      let card = try await PostDraft.Card(of: link, over: workspace.transport)
    else { return nil }
    do {
      return (card, try await card.loadedPicture(over: workspace.transport))
    } catch let error as CancellationError {
      throw error
    } catch {
      // A card says enough without its picture.
      return (card, nil)
    }
  }

  // MARK: Other posts

  private func reply(
    to uri: ATURI, _ post: Post?, _ composition: inout PostComposition
  ) throws -> PostDraft.Reply {
    let post = try shown(uri, post)
    if post.viewer?.isReplyDisabled == true { throw OperationError.repliesClosed(uri) }
    let parent = RecordVersion(uri: post.uri, cid: post.cid)
    composition.answered = post
    guard post.summary.isReply else { return PostDraft.Reply(root: parent, parent: parent) }
    guard let root = post.root else {
      throw OperationError.postStateUnknown(uri, "which thread it belongs to")
    }
    return PostDraft.Reply(root: root, parent: parent)
  }

  private func quote(
    of uri: ATURI, _ post: Post?, _ composition: inout PostComposition
  ) throws -> RecordVersion {
    let post = try shown(uri, post)
    if post.viewer?.isEmbeddingDisabled == true { throw OperationError.quotesClosed(uri) }
    composition.quoted = post
    return RecordVersion(uri: post.uri, cid: post.cid)
  }

  private func shown(_ uri: ATURI, _ post: Post?) throws -> Post {
    guard let post else { throw RelationshipError.postNotFound(uri) }
    guard post.viewer != nil else {
      throw OperationError.postStateUnknown(uri, "whether you may answer and quote it")
    }
    return post
  }

  // MARK: Audience

  /// The rules for answers that are asked for; nil for what is usual or for everyone.
  private func rules(
    of account: AuthorizedAccount, in workspace: Workspace
  ) async throws -> [PostAudience.Rule]? {
    guard case .only(let rules) = replies else { return nil }
    var found: [PostAudience.Rule] = []
    for rule in rules {
      switch rule {
      case .rule(let rule): found.append(rule)
      case .list(let name): found.append(.list(try await workspace.list(named: name, of: account)))
      }
    }
    return found
  }

  private func audience(
    of account: AuthorizedAccount, _ rules: [PostAudience.Rule]?, _ composition: inout PostComposition
  ) async throws -> PostAudience {
    var audience = PostAudience()
    do {
      audience = try await PostAudience.usual(asking: account.pds)
    } catch  where !(error is CancellationError) {
      // Such an account cannot post, with or without replies.
      let fault = RepositoryError(asking: (error as? RelationshipError)?.underlying ?? error)
      if [.accountSuspended, .accountDeactivated].contains(fault.code) { throw fault }
      if replies == .asUsual { throw OperationError.audienceUnknown(error) }
      composition.audienceFault = error
    }
    switch replies {
    case .asUsual: break
    case .everyone: audience.replies = nil
    case .only: audience.replies = rules ?? []
    }
    return audience
  }
}

extension ChangeIntent {
  /// Publish a post, or a thread of which each post answers the one before; all or nothing.
  ///
  /// - Throws: `ChangeRefusal` `invalid` if a post breaks the lexicon or has a control character, or for a thread without posts or
  ///   with more than `PostDraft.mostInThread`.
  static func publish(_ posts: [PostDraft]) throws -> ChangeIntent {
    do { return .records(.make(try posts.records)) } catch {
      throw ChangeRefusal(.invalid, "invalid post: \(error)")
    }
  }
}

extension String {
  /// The text without white space at its ends.
  fileprivate var trimmingEnds: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}

extension OperationError {
  static var emptyPost: OperationError { OperationError(.emptyPost, .usage, "the post has no text") }

  static func postTooLong(_ text: String) -> OperationError {
    let (graphemes, bytes) = (text.count, text.utf8.count)
    let size = graphemes > RichText.mostGraphemes ? "\(graphemes) characters" : "\(bytes) bytes"
    return OperationError(
      .postTooLong, .invalidInput,
      "the text has \(size); a post has at most \(RichText.mostGraphemes) characters and \(RichText.mostBytes) bytes",
      ["characters": .integer(graphemes), "bytes": .integer(bytes)])
  }

  static func controlCharacter(_ name: String, in source: String) -> OperationError {
    OperationError(
      .controlCharacter, .invalidInput, "\(source) \(PlainText.fault(name))", ["character": .string(name)])
  }

  static func markTooLong(_ mark: Substring) -> OperationError {
    OperationError(
      .markTooLong, .invalidInput,
      "the address \(mark.prefix(40))… has \(mark.count) characters, and a post at most \(RichText.mostGraphemes); "
        + "cut in two, it would lead elsewhere, so use a shorter one",
      ["characters": .integer(mark.count)])
  }

  static func threadTooLong(_ count: Int) -> OperationError {
    OperationError(
      .threadTooLong, .invalidInput,
      "the text makes \(count) posts; a thread has at most \(PostDraft.mostInThread)",
      ["posts": .integer(count)])
  }

  static func repliesClosed(_ post: ATURI) -> OperationError {
    OperationError(
      .repliesClosed, .notAllowed, "\(post)", "its author does not let you answer", ["uri": .text(post)])
  }

  static func quotesClosed(_ post: ATURI) -> OperationError {
    OperationError(
      .quotesClosed, .notAllowed, "\(post)", "its author does not let you quote it", ["uri": .text(post)])
  }

  static func postStateUnknown(_ post: ATURI, _ what: String) -> OperationError {
    OperationError(
      .postStateUnknown, .unavailable, "\(post)", "the AppView does not say \(what)", ["uri": .text(post)])
  }

  static func audienceUnknown(_ error: any Error) -> OperationError {
    OperationError(
      .audienceUnknown, .unavailable, "", "could not read who may reply to your posts", underlying: error)
  }
}
