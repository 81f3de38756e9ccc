// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension AppView {
  /// `app.bsky.feed.getAuthorFeed`, newest first, with reposts. Pinned posts are not shown first; threads by
  /// the author are not distinguished from other posts. Without a viewer, blocks do not matter.
  func authorFeed(
    _ parameters: App.Bsky.Feed.GetAuthorFeed.Parameters
  ) throws(XRPCFault) -> App.Bsky.Feed.GetAuthorFeed.Output {
    guard let author = visible(parameters.actor) else { throw .invalidRequest("Profile not found") }
    try requireNoBlock(with: author)
    let end = try parameters.cursor.map(FeedCursor.moment(parsing:)) ?? now + .microseconds(1)
    let limit = parameters.limit ?? 50
    let found = items(of: author, before: min(end, now + .microseconds(1)), limit: limit + 1) { item in
      Self.passes(item, parameters.filter ?? .postsWithReplies)
        && (item.kind != .repost || target(of: item).map { isListed($0.author) } == true)
    }
    let page = found.prefix(limit)
    let pages = PostPages(self)
    pages.prepare(page.filter { $0.kind != .repost })
    return App.Bsky.Feed.GetAuthorFeed.Output(
      cursor: found.count > limit ? page.last.map { String($0.moment.microsecondsSinceEpoch) } : nil,
      feed: page.compactMap { feedView(of: $0, in: pages) })
  }

  /// - Throws: ``XRPCFault`` if the viewer blocks the author or is blocked by it; the first is told first.
  private func requireNoBlock(with author: Int) throws(XRPCFault) {
    let blocks = viewerBlocks(with: author)
    func fault(_ name: XRPCErrorName, _ message: String) -> XRPCFault {
      XRPCFault(status: 400, name: name.rawValue, message: "\(message): \(network.dids[author])")
    }
    typealias Errors = App.Bsky.Feed.GetAuthorFeed.ErrorName
    if blocks.blocking != nil { throw fault(Errors.blockedActor, "Requester has blocked actor") }
    if blocks.isBlockedBy { throw fault(Errors.blockedByActor, "Requester is blocked by actor") }
  }

  private static func passes(_ item: Post, _ filter: App.Bsky.Feed.GetAuthorFeed.Parameters.Filter) -> Bool {
    switch filter {
    case .postsNoReplies, .postsAndAuthorThreads: item.kind != .reply
    case .postsWithMedia: item.kind == .images || item.kind == .video
    case .postsWithVideo: item.kind == .video
    default: true
    }
  }

  /// `app.bsky.feed.getLikes`, newest first.
  func likes(
    _ parameters: App.Bsky.Feed.GetLikes.Parameters
  ) throws(XRPCFault) -> App.Bsky.Feed.GetLikes.Output {
    let likes = post(parameters.uri, parameters.cid).map { PostPages(self).likes(of: $0) } ?? []
    let page = try page(Array(likes.indices), limit: parameters.limit, cursor: parameters.cursor) {
      isListed(likes[$0].account)
    }
    return App.Bsky.Feed.GetLikes.Output(
      uri: parameters.uri, cid: parameters.cid, cursor: page.cursor?.text,
      likes: page.elements.map { place in
        let moment = Datetime(at: likes[place].moment)
        return App.Bsky.Feed.GetLikes.Like(
          indexedAt: moment, createdAt: moment, actor: view(of: likes[place].account))
      })
  }

  /// `app.bsky.feed.getRepostedBy`, newest first.
  func repostedBy(
    _ parameters: App.Bsky.Feed.GetRepostedBy.Parameters
  ) throws(XRPCFault) -> App.Bsky.Feed.GetRepostedBy.Output {
    let reposts = post(parameters.uri, parameters.cid).map { PostPages(self).reposts(of: $0) } ?? []
    let page = try page(reposts.map(\.account), limit: parameters.limit, cursor: parameters.cursor) {
      isListed($0)
    }
    return App.Bsky.Feed.GetRepostedBy.Output(
      uri: parameters.uri, cid: parameters.cid, cursor: page.cursor?.text,
      repostedBy: page.elements.map(view(of:)))
  }

  /// `app.bsky.feed.getQuotes`, newest first.
  func quotes(
    _ parameters: App.Bsky.Feed.GetQuotes.Parameters
  ) throws(XRPCFault) -> App.Bsky.Feed.GetQuotes.Output {
    let pages = PostPages(self)
    let quotes = post(parameters.uri, parameters.cid).map { pages.quotes(of: $0) } ?? []
    let page = try page(Array(quotes.indices), limit: parameters.limit, cursor: parameters.cursor) {
      isListed(quotes[$0].author)
    }
    return App.Bsky.Feed.GetQuotes.Output(
      uri: parameters.uri, cid: parameters.cid, cursor: page.cursor?.text,
      posts: page.elements.map { view(of: quotes[$0], in: pages) })
  }

  /// The post at a URI, unless its author is hidden or its CID differs; real servers return empty lists in
  /// that case.
  func post(_ uri: ATURI, _ cid: CID?) -> Post? {
    guard let collection = uri.collection, let key = uri.recordKey, let author = visible(uri.authority),
      let post = post(
        at: ATURI(authority: .did(network.dids[author]), collection: collection, recordKey: key)),
      cid == nil || cid == post.cid
    else { return nil }
    return post
  }

  /// Whether an account is listed: not if it is inactive, or blocks or is blocked by the viewer.
  func isListed(_ account: Int) -> Bool {
    graph.isShown(account) && !viewerBlocks(with: account).exist
  }

  // MARK: Views

  func feedView(of item: Post, in pages: PostPages) -> App.Bsky.Feed.Defs.FeedViewPost? {
    if item.kind == .repost {
      guard let target = target(of: item) else { return nil }
      let reason = App.Bsky.Feed.Defs.ReasonRepost(
        by: basicView(of: item.author), uri: posts.uri(of: item), cid: item.cid, indexedAt: item.madeAt)
      return App.Bsky.Feed.Defs.FeedViewPost(
        post: view(of: target, in: pages), reason: .reasonRepost(reason))
    }
    return App.Bsky.Feed.Defs.FeedViewPost(
      post: view(of: item, in: pages), reply: item.kind == .reply ? replyView(of: item, in: pages) : nil)
  }

  private func replyView(of reply: Post, in pages: PostPages) -> App.Bsky.Feed.Defs.ReplyRef {
    let parent = posts.targetURI(of: reply)
    let root = reply.written?.root ?? parent
    typealias Reference = App.Bsky.Feed.Defs.ReplyRef
    let above = post(at: root).flatMap { graph.isShown($0.author) ? $0 : nil }
    let target = shownTarget(of: reply)
    guard let above else {
      return Reference(
        root: .notFoundPost(App.Bsky.Feed.Defs.NotFoundPost(uri: root)),
        parent: target.map { .postView(view(of: $0, in: pages)) }
          ?? .notFoundPost(App.Bsky.Feed.Defs.NotFoundPost(uri: parent)))
    }
    func blocked(_ post: Post) -> App.Bsky.Feed.Defs.BlockedPost? {
      blockedAuthor(of: post).map { App.Bsky.Feed.Defs.BlockedPost(uri: posts.uri(of: post), author: $0) }
    }
    return Reference(
      root: blocked(above).map { .blockedPost($0) } ?? .postView(view(of: above, in: pages)),
      parent: target.map { target in
        blocked(target).map { .blockedPost($0) } ?? .postView(view(of: target, in: pages))
      } ?? .notFoundPost(App.Bsky.Feed.Defs.NotFoundPost(uri: parent)))
  }

  /// The author as shown instead of a post that a block hides; nil if there is no block.
  func blockedAuthor(of post: Post) -> App.Bsky.Feed.Defs.BlockedAuthor? {
    guard viewerBlocks(with: post.author).exist else { return nil }
    return App.Bsky.Feed.Defs.BlockedAuthor(
      did: network.dids[post.author], viewer: viewerState(of: post.author))
  }

  func shownTarget(of post: Post) -> Post? {
    target(of: post).flatMap { graph.isShown($0.author) ? $0 : nil }
  }

  func view(of post: Post, in pages: PostPages) -> App.Bsky.Feed.Defs.PostView {
    let counts = pages.counts(of: post)
    return App.Bsky.Feed.Defs.PostView(
      uri: posts.uri(of: post), cid: post.cid, author: basicView(of: post.author),
      record: posts.content(of: post), embed: embed(of: post, in: pages), bookmarkCount: 0,
      replyCount: counts.replies, repostCount: counts.reposts, likeCount: counts.likes,
      quoteCount: pages.quotes(of: post).count, indexedAt: post.madeAt, viewer: viewerState(of: post),
      labels: [])
  }

  /// What the viewer has done with a post, and may do; nil without a viewer.
  private func viewerState(of post: Post) -> App.Bsky.Feed.Defs.ViewerState? {
    guard let viewer else { return nil }
    let uri = posts.uri(of: post)
    func own(_ collection: NSID) -> ATURI? {
      graph.writtenPosts.reactions(collection, to: uri).first { $0.account == viewer }?.record
    }
    let isClosed = mayReply(viewer, to: post) ? nil : true
    return App.Bsky.Feed.Defs.ViewerState(
      repost: own(WrittenPosts.repost), like: own(WrittenPosts.like), replyDisabled: isClosed,
      embeddingDisabled: graph.writtenPosts.forbidsQuotes(of: uri) && viewer != post.author ? true : nil)
  }

  /// Whether the rules of the post that begins the thread let an account answer.
  private func mayReply(_ account: Int, to post: Post) -> Bool {
    let root = post.written?.root ?? posts.uri(of: post)
    guard let rules = graph.writtenPosts.replyRules(of: root), let first = self.post(at: root),
      first.author != account
    else { return true }
    return rules.contains { rule in
      switch rule.type {
      case "app.bsky.feed.threadgate#followerRule": graph.follows.edge(from: account, to: first.author) != nil
      case "app.bsky.feed.threadgate#followingRule":
        graph.follows.edge(from: first.author, to: account) != nil
      case "app.bsky.feed.threadgate#listRule":
        rule["list"]?.string.flatMap { ATURI($0) }.flatMap { graph.index(ofList: $0) }
          .map { graph.listItems.edge(from: $0, to: account) != nil } ?? false
      case "app.bsky.feed.threadgate#mentionRule":
        posts.content(of: first)["facets"]?.array?.contains { facet in
          facet["features"]?.array?.contains { $0["did"]?.string == network.dids[account].description }
            ?? false
        } ?? false
      default: false
      }
    }
  }

  private func embed(of post: Post, in pages: PostPages) -> App.Bsky.Feed.Defs.PostView.Embed? {
    if let written = post.written { return embed(of: written, by: post, in: pages) }
    func file(_ number: Int, _ size: String) -> URI {
      Identities.uri("https://cdn.example.com/\(size)/\(PostTimeline.blobCID(of: post, number: number))")
    }
    switch post.kind {
    case .text, .reply, .repost: return nil
    case .images:
      return .imagesView(
        App.Bsky.Embed.Images.View(
          images: (0..<PostTimeline.imageCount(of: post)).map { number in
            App.Bsky.Embed.Images.ViewImage(
              thumb: file(number, "small"), fullsize: file(number, "full"),
              alt: PostTimeline.alt(of: post, image: number))
          }))
    case .video:
      return .videoView(
        App.Bsky.Embed.Video.View(
          cid: PostTimeline.blobCID(of: post), playlist: file(0, "video"), thumbnail: file(0, "small")))
    case .link:
      let external = posts.content(of: post)["embed"]?["external"]
      return .externalView(
        App.Bsky.Embed.External.View(
          external: App.Bsky.Embed.External.ViewExternal(
            uri: Identities.uri(PostTimeline.link(of: post)), title: external?["title"]?.string ?? "",
            description: external?["description"]?.string ?? "")))
    case .quote: return .recordView(App.Bsky.Embed.Record.View(record: quoted(by: post, in: pages)))
    }
  }

  private func embed(
    of written: Post.Written, by post: Post, in pages: PostPages
  ) -> App.Bsky.Feed.Defs.PostView.Embed? {
    typealias Media = App.Bsky.Embed.RecordWithMedia.View.Media
    let quote = written.quote.map { App.Bsky.Embed.Record.View(record: quoted($0, in: pages)) }
    func file(_ blob: DataValue?) -> URI {
      Identities.uri("https://cdn.example.com/full/\(blob?["ref"]?.link.map { "\($0)" } ?? "")")
    }
    var media: Media?
    if let images = written.media?["images"]?.array {
      media = .imagesView(
        App.Bsky.Embed.Images.View(
          images: images.map { image in
            App.Bsky.Embed.Images.ViewImage(
              thumb: file(image["image"]), fullsize: file(image["image"]), alt: image["alt"]?.string ?? "")
          }))
    } else if let external = written.media?["external"] {
      media = .externalView(
        App.Bsky.Embed.External.View(
          external: App.Bsky.Embed.External.ViewExternal(
            uri: Identities.uri(external["uri"]?.string ?? ""), title: external["title"]?.string ?? "",
            description: external["description"]?.string ?? "")))
    }
    switch (quote, media) {
    case (let quote?, let media?):
      return .recordWithMediaView(App.Bsky.Embed.RecordWithMedia.View(record: quote, media: media))
    case (let quote?, nil): return .recordView(quote)
    case (nil, .imagesView(let view)?): return .imagesView(view)
    case (nil, .externalView(let view)?): return .externalView(view)
    case (nil, _): return nil
    }
  }

  private func quoted(by quote: Post, in pages: PostPages) -> App.Bsky.Embed.Record.View.Record {
    quoted(posts.targetURI(of: quote), in: pages)
  }

  private func quoted(_ uri: ATURI, in pages: PostPages) -> App.Bsky.Embed.Record.View.Record {
    guard let target = post(at: uri), graph.isShown(target.author) else {
      return .viewNotFound(App.Bsky.Embed.Record.ViewNotFound(uri: uri))
    }
    if let author = blockedAuthor(of: target) {
      return .viewBlocked(
        App.Bsky.Embed.Record.ViewBlocked(uri: posts.uri(of: target), author: author))
    }
    let counts = pages.counts(of: target)
    return .viewRecord(
      App.Bsky.Embed.Record.ViewRecord(
        uri: posts.uri(of: target), cid: target.cid, author: basicView(of: target.author),
        value: posts.content(of: target), labels: [], replyCount: counts.replies,
        repostCount: counts.reposts, likeCount: counts.likes, quoteCount: pages.quotes(of: target).count,
        indexedAt: target.madeAt))
  }
}

/// The start of the next page of a feed: posts before a moment.
enum FeedCursor {
  static func moment(parsing text: String) throws(XRPCFault) -> Instant {
    guard let moment = Int64(text) else { throw .invalidRequest("Malformed cursor") }
    return Instant(microsecondsSinceEpoch: moment)
  }
}
