// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension AppView {
  /// `app.bsky.feed.getPostThread`: the replies below a post, newest first, and the posts above it. A post that a block hides
  /// is shown as blocked, and one whose author is hidden as not found.
  func thread(
    _ parameters: App.Bsky.Feed.GetPostThread.Parameters
  ) throws(XRPCFault) -> App.Bsky.Feed.GetPostThread.Output {
    guard let post = post(parameters.uri, nil) else {
      throw XRPCFault(
        status: 400, name: App.Bsky.Feed.GetPostThread.ErrorName.notFound.rawValue,
        message: "Post not found: \(parameters.uri)")
    }
    typealias Thread = App.Bsky.Feed.GetPostThread.Output.Thread
    let thread: Thread =
      blockedAuthor(of: post).map { .blockedPost(.init(uri: posts.uri(of: post), author: $0)) }
      ?? .threadViewPost(
        thread(of: post, depth: parameters.depth ?? 6, height: parameters.parentHeight ?? 80, PostPages(self))
      )
    return App.Bsky.Feed.GetPostThread.Output(thread: thread)
  }

  /// `app.bsky.feed.getPosts`: missing and hidden posts are left out.
  func postViews(
    _ parameters: App.Bsky.Feed.GetPosts.Parameters
  ) -> App.Bsky.Feed.GetPosts.Output {
    let pages = PostPages(self)
    var seen: Set<ATURI> = []
    let found = parameters.uris.filter { seen.insert($0).inserted }.compactMap { post($0, nil) }
    return App.Bsky.Feed.GetPosts.Output(
      posts: found.filter { isListed($0.author) }.map { view(of: $0, in: pages) })
  }

  private func thread(
    of post: Post, depth: Int, height: Int, _ pages: PostPages
  ) -> App.Bsky.Feed.Defs.ThreadViewPost {
    var parent: App.Bsky.Feed.Defs.ThreadViewPost.Parent?
    if height > 0, post.kind == .reply {
      parent =
        if let target = shownTarget(of: post) {
          blockedAuthor(of: target).map { .blockedPost(.init(uri: posts.uri(of: target), author: $0)) }
            ?? .threadViewPost(thread(of: target, depth: 0, height: height - 1, pages))
        } else {
          .notFoundPost(App.Bsky.Feed.Defs.NotFoundPost(uri: posts.targetURI(of: post)))
        }
    }
    let replies =
      depth > 0
      ? pages.replies(to: post).filter { graph.isShown($0.author) }.map { reply in
        blockedAuthor(of: reply).map {
          App.Bsky.Feed.Defs.ThreadViewPost.RepliesElement.blockedPost(
            .init(uri: posts.uri(of: reply), author: $0))
        } ?? .threadViewPost(thread(of: reply, depth: depth - 1, height: 0, pages))
      } : nil
    return App.Bsky.Feed.Defs.ThreadViewPost(
      post: view(of: post, in: pages), parent: parent, replies: replies)
  }
}
