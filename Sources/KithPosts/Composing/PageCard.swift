// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

extension PostDraft.Card {
  /// What is read of a page at most: titles stand at its beginning.
  static let mostPageBytes = 512 << 10
  /// The most graphemes, and the most bytes: some graphemes have thousands.
  private static let mostTitle = (graphemes: 300, bytes: 3_000)
  private static let mostDescription = (graphemes: 1_000, bytes: 10_000)

  /// Reads what a page says about itself. Its host learns the address of this machine.
  ///
  /// - Returns: nil unless it is an HTML page with a title that can be read.
  /// - Throws: `TransportError` if it cannot be reached, or must not be: only https on public addresses; `CancellationError`.
  public init?(of link: URI, over transport: any HTTPTransport) async throws {
    let page = try await PageBeginning(at: link, most: Self.mostPageBytes, over: transport)
    guard (200..<300).contains(page.status), ["text/html", "application/xhtml+xml"].contains(page.mediaType)
    else {
      return nil
    }
    self.init(of: link, page: page.bytes, charset: page.charset, at: page.address)
  }

  /// Reads what the beginning of a page says about it; nil without a title.
  ///
  /// - Parameters:
  ///   - charset: how the header says that it is encoded.
  ///   - address: where the link led; nil if that is not known.
  init?(of link: URI, page: [UInt8], charset: String? = nil, at address: URI? = nil) {
    guard let text = PageText.decode(page, charset: charset) else { return nil }
    let words = PageWords(text)
    func published(_ text: String?, _ most: (graphemes: Int, bytes: Int)) -> String {
      (text ?? "").published(most: most.graphemes, bytes: most.bytes)
    }
    let title = published(words.title, Self.mostTitle)
    // Signs for what could not be read say nothing.
    guard !title.isEmpty, !title.contains("\u{FFFD}") else { return nil }
    let description = published(words.description, Self.mostDescription)
    self.init(link, title: title, description: description.contains("\u{FFFD}") ? "" : description)
    let page = address ?? link
    let base = words.base.flatMap { WebAddress(page)?.resolve($0) } ?? page
    picture = words.picture.flatMap { WebAddress(base)?.resolve($0) }
  }

  /// Reads the picture of the page, on a host that the page names: only https on public addresses.
  ///
  /// - Returns: the picture without its metadata; nil if the page has none, or one that a card cannot have: larger than
  ///   ``mostPictureBytes``, of another type, or one that has to be turned.
  /// - Throws: `TransportError`, `CancellationError`.
  public func loadedPicture(over transport: any HTTPTransport) async throws -> KithPosts.Picture? {
    guard let picture else { return nil }
    let file = try await PageBeginning(
      at: picture, most: Self.mostPictureBytes + 1, accepting: "image/jpeg, image/png, image/webp",
      over: transport)
    guard (200..<300).contains(file.status), file.bytes.count <= Self.mostPictureBytes,
      let clean = try? KithPosts.Picture(file.bytes), clean.bytes.count <= Self.mostPictureBytes
    else { return nil }
    return clean
  }
}
