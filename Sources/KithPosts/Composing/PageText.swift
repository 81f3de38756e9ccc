// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The text of a web page, by the encoding that it declares: in a mark at its beginning, in its header, or in itself.
enum PageText {
  /// Where a page says how it is encoded, if it does: within this many bytes.
  private static let declaredWithin = 4_096

  /// Decodes a page. Bytes that mean nothing become U+FFFD.
  ///
  /// - Parameter charset: what the header says.
  /// - Returns: nil for an encoding that this machine cannot decode.
  static func decode(_ page: [UInt8], charset: String?) -> String? {
    if page.starts(with: [0xEF, 0xBB, 0xBF]) { return utf8(page.dropFirst(3)) }
    if page.starts(with: [0xFF, 0xFE]) { return decode(page.dropFirst(2), as: "UTF-16LE") }
    if page.starts(with: [0xFE, 0xFF]) { return decode(page.dropFirst(2), as: "UTF-16BE") }
    guard let name = charset ?? declared(in: page.prefix(declaredWithin)) else { return utf8(page[...]) }
    guard let encoding = encodings[name.lowercased()] else { return nil }
    // A page that could be read up to this declaration is not in UTF-16.
    if charset == nil, encoding.hasPrefix("UTF-16") { return utf8(page[...]) }
    return encoding == "UTF-8" ? utf8(page[...]) : decode(page[...], as: encoding)
  }

  private static func utf8(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  /// What `<meta charset="…">` or `<meta http-equiv="content-type" content="…; charset=…">` says.
  private static func declared(in beginning: ArraySlice<UInt8>) -> String? {
    // All encodings that pages declare in this way have the characters of ASCII.
    let text = String(decoding: beginning.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    return PageWords(text).charset
  }

  /// The names that pages use, in lower case, and those that iconv has.
  private static let encodings: [String: String] = [
    "UTF-8": ["utf-8", "utf8", "unicode-1-1-utf-8"],
    "UTF-16LE": ["utf-16", "utf-16le"], "UTF-16BE": ["utf-16be"],
    // Browsers read all of these as the first one.
    "WINDOWS-1252": [
      "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "ascii",
      "us-ascii",
    ],
    "CP932": ["shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "ms_kanji", "ms932"],
    "EUC-JP": ["euc-jp", "x-euc-jp"], "ISO-2022-JP": ["iso-2022-jp"],
    "UHC": ["euc-kr", "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601", "korean", "windows-949"],
    "BIG5-HKSCS": ["big5", "big5-hkscs", "cn-big5", "x-x-big5"],
    "GB18030": ["gb18030", "gbk", "x-gbk", "gb2312", "gb_2312-80", "chinese"],
    "KOI8-R": ["koi8-r", "koi8"], "KOI8-U": ["koi8-u"],
    "CP874": ["windows-874", "tis-620", "iso-8859-11"], "MACINTOSH": ["macintosh", "x-mac-roman"],
  ].merging(
    [1_250, 1_251, 1_253, 1_254, 1_255, 1_256, 1_257, 1_258].map {
      ("WINDOWS-\($0)", ["windows-\($0)", "cp\($0)"])
    }
      + [2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16].map {
        ("ISO-8859-\($0)", ["iso-8859-\($0)", "iso8859-\($0)"])
      }
  ) { $1 }.reduce(into: [:]) { names, entry in for name in entry.value { names[name] = entry.key } }

  #if canImport(Glibc)
    private static func decode(_ bytes: ArraySlice<UInt8>, as encoding: String) -> String? {
      guard let converter = iconv_open("UTF-8", encoding), converter != iconv_t(bitPattern: -1) else {
        return nil
      }
      defer { iconv_close(converter) }
      var input = bytes.map { CChar(bitPattern: $0) }
      // A byte becomes three at most, or a sign for what it does not mean.
      var output = [CChar](repeating: 0, count: 3 * input.count + 16)
      let length = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { convert(input, to: $0, with: converter) }
      }
      return String(decoding: output[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Converts as much as possible, with U+FFFD for each byte that means nothing. Returns the length of the text.
    private static func convert(
      _ input: UnsafeMutableBufferPointer<CChar>, to output: UnsafeMutableBufferPointer<CChar>,
      with converter: iconv_t
    ) -> Int {
      var (from, left) = (input.baseAddress, input.count)
      var (place, room) = (output.baseAddress, output.count)
      while left > 0, iconv(converter, &from, &left, &place, &room) == -1 {
        guard errno == EILSEQ, left > 0, room >= 3 else { break }
        for unit in "\u{FFFD}".utf8 {
          place?.pointee = CChar(bitPattern: unit)
          (place, room) = (place.map { $0 + 1 }, room - 1)
        }
        (from, left) = (from.map { $0 + 1 }, left - 1)
      }
      return output.count - room
    }
  #else
    private static func decode(_ bytes: ArraySlice<UInt8>, as encoding: String) -> String? { nil }
  #endif
}
