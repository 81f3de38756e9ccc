// SPDX-License-Identifier: Apache-2.0

/// What a form brings that may have files (`multipart/form-data`), read strictly: as browsers write it.
///
/// Specification: RFC 7578. Names and file names are compared and kept as they were sent.
package struct MultipartForm: Sendable, Hashable {
  /// Why a body is not such a form.
  package enum Fault: Error, Hashable {
    /// The type of the body names no boundary, or one that cannot be.
    case invalidBoundary
    /// A part has no head, no name, or one that cannot be read.
    case invalidPart
    /// A text is not UTF-8.
    case notUTF8
    case tooManyParts
    /// The body ends before the form does, or goes on after it.
    case wrongEnd
  }

  /// The most parts.
  package static let mostParts = 64
  /// The most bytes of the head of a part.
  package static let mostHeadBytes = 4_096

  /// The texts, in their order.
  package let texts: QueryItems
  /// The files, by the names of their fields. What was chosen for a field first counts; a field without a choice is not among them.
  package let files: [String: [UInt8]]

  /// Reads a body.
  ///
  /// - Parameter type: the type of the body, which names the boundary of its parts.
  package init(_ body: [UInt8], type: String) throws(Fault) {
    let boundary = try Self.boundary(in: type)
    var (texts, files): ([QueryItems.Item], [String: [UInt8]]) = ([], [:])
    var reader = Reader(body: body, boundary: Array("\r\n--\(boundary)".utf8))
    try reader.begin()
    var count = 0
    while let (head, content) = try reader.next() {
      count += 1
      guard count <= Self.mostParts else { throw .tooManyParts }
      let field = try Field(head)
      if field.isFile {
        if !content.isEmpty, files[field.name] == nil { files[field.name] = Array(content) }
      } else {
        guard let text = String(validating: content, as: UTF8.self) else { throw .notUTF8 }
        texts.append(QueryItems.Item(name: field.name, value: text))
      }
    }
    (self.texts, self.files) = (QueryItems(texts), files)
  }

  private static func boundary(in type: String) throws(Fault) -> String {
    let parts = type.split(separator: ";").map { part in part.drop { $0 == " " } }
    let values = parts.dropFirst().filter { $0.lowercased().hasPrefix("boundary=") }
      .map { $0.dropFirst("boundary=".count) }
    guard values.count == 1, var value = values.first else { throw .invalidBoundary }
    if value.count > 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
    guard (1...70).contains(value.utf8.count), value.last != " ",
      value.utf8.allSatisfy({ isInBoundary($0) })
    else { throw .invalidBoundary }
    return String(value)
  }

  private static func isInBoundary(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "'()+_,-./:=? ".utf8.contains(byte)
    }
  }
}

/// Finds the parts of a body.
private struct Reader {
  let body: [UInt8]
  /// What stands before each part: a line break, two hyphens and the boundary.
  let boundary: [UInt8]
  private var position = 0

  init(body: [UInt8], boundary: [UInt8]) { (self.body, self.boundary) = (body, boundary) }

  /// The first boundary has no line break before it.
  mutating func begin() throws(MultipartForm.Fault) {
    let first = boundary.dropFirst(2)
    guard body.starts(with: first) else { throw .wrongEnd }
    position = first.count
  }

  /// The head and the content of the next part; nil after the last one.
  mutating func next() throws(MultipartForm.Fault) -> (head: ArraySlice<UInt8>, content: ArraySlice<UInt8>)? {
    let rest = body[position...]
    if rest.starts(with: "--".utf8) {
      guard rest.count == 2 || rest.dropFirst(2).elementsEqual("\r\n".utf8) else { throw .wrongEnd }
      return nil
    }
    guard rest.count >= 2 else { throw .wrongEnd }
    guard rest.starts(with: "\r\n".utf8) else { throw .invalidPart }
    let limit = min(body.count, position + MultipartForm.mostHeadBytes)
    guard let end = place(of: Array("\r\n\r\n".utf8), from: position, before: limit) else {
      throw limit == body.count ? .wrongEnd : .invalidPart
    }
    // The line break after the head belongs to an empty content as well.
    guard let close = place(of: boundary, from: end + 2, before: body.count) else { throw .wrongEnd }
    let start = end + 4
    let head = body[position + 2..<max(position + 2, end)]
    position = close + boundary.count
    return (head, close < start ? [] : body[start..<close])
  }

  private func place(of needle: [UInt8], from first: Int, before limit: Int) -> Int? {
    var start = first
    while start + needle.count <= limit,
      let found = body[start..<limit].firstIndex(of: needle[0]), found + needle.count <= limit
    {
      if body[found..<found + needle.count].elementsEqual(needle) { return found }
      start = found + 1
    }
    return nil
  }
}

/// What the head of a part says.
private struct Field {
  let name: String
  let isFile: Bool

  init(_ head: ArraySlice<UInt8>) throws(MultipartForm.Fault) {
    let title = "content-disposition:"
    let values = head.split(separator: UInt8(ascii: "\n")).filter { line in
      String(decoding: line.prefix(title.utf8.count), as: UTF8.self).lowercased() == title
    }.map { $0.dropFirst(title.utf8.count) }
    guard values.count == 1, let value = values.first else { throw .invalidPart }
    let parameters = try Self.parameters(value.last == UInt8(ascii: "\r") ? value.dropLast() : value)
    guard let name = parameters["name"], !name.isEmpty else { throw .invalidPart }
    (self.name, isFile) = (name, parameters["filename"] != nil)
  }

  /// The parameters after `form-data`, each with its value in quotes. Browsers write a quote within a value as `%22`.
  ///
  /// They are read by bytes: a name may begin with a mark that would combine with the quote before it.
  private static func parameters(_ line: ArraySlice<UInt8>) throws(MultipartForm.Fault) -> [String: String] {
    let (space, quote) = (UInt8(ascii: " "), UInt8(ascii: "\""))
    var rest = line.drop { $0 == space }
    let kind = rest.prefix { $0 != UInt8(ascii: ";") }
    guard String(decoding: kind, as: UTF8.self).lowercased() == "form-data" else { throw .invalidPart }
    rest = rest[kind.endIndex...]
    var values: [String: String] = [:]
    while !rest.isEmpty {
      let key = rest.dropFirst().drop { $0 == space }.prefix { $0 != UInt8(ascii: "=") }
      rest = rest[key.endIndex...]
      let name = String(decoding: key, as: UTF8.self).lowercased()
      guard !key.isEmpty, values[name] == nil, rest.starts(with: "=\"".utf8) else { throw .invalidPart }
      rest = rest.dropFirst(2)
      guard let close = rest.firstIndex(of: quote) else { throw .invalidPart }
      guard let value = String(validating: rest[..<close], as: UTF8.self) else { throw .notUTF8 }
      values[name] = value
      rest = rest[(close + 1)...]
      guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { throw .invalidPart }
    }
    return values
  }
}
