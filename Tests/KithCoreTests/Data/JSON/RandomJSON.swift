// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Random documents in random spellings, the same for each seed.
struct RandomJSON {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Returns a valid document.
  mutating func next() -> [UInt8] {
    var text = space()
    append(depth: 0, to: &text)
    return Array((text + space()).utf8)
  }

  /// Returns the document with one to three mutations, which may leave it valid.
  mutating func damaged(_ json: [UInt8]) -> [UInt8] {
    var json = json
    for _ in 0..<number(1...3) where !json.isEmpty {
      let position = number(0...json.count - 1)
      switch number(0...4) {
      case 0: json.remove(at: position)
      case 1: json[position] = UInt8(number(0...255))
      case 2: json.insert(UInt8(number(0...255)), at: position)
      case 3: json.insert(pick(Array(#""\{}[]:,-.0eu"#.utf8)), at: position)
      default:
        json.insert(contentsOf: json[min(position, number(0...json.count - 1))...position], at: position)
      }
    }
    return json
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(0...elements.count - 1)]
  }

  private mutating func space() -> String { pick(["", "", "", " ", "\n\t", " \r\n "]) }

  private mutating func append(depth: Int, to text: inout String) {
    switch number(0...(depth < 5 ? 9 : 5)) {
    case 0: text += pick(["null", "true", "false"])
    case 1, 2: text += integer()
    case 3, 4, 5: appendString(to: &text)
    case 6, 7:
      let elements = (0..<number(0...6)).map { _ in value(depth: depth + 1) }
      text += "[" + space() + elements.joined(separator: ",") + space() + "]"
    default:
      // Names of one letter are sometimes duplicates.
      let members = (0..<number(0...6)).map { _ in name() + space() + ":" + value(depth: depth + 1) }
      text += "{" + space() + members.joined(separator: "," + space()) + "}"
    }
  }

  private mutating func value(depth: Int) -> String {
    var text = space()
    append(depth: depth, to: &text)
    return text + space()
  }

  private mutating func integer() -> String {
    let bits = number(1...64)
    let value = Int64(truncatingIfNeeded: generator.next() >> UInt64(64 - bits))
    return pick([
      "\(value)", "\(value)", "-0", "\(value).0", "\(value)00000000000", "\(value).5", "\(value)e2",
    ])
  }

  private mutating func name() -> String {
    let usual = [#""a""#, #""b""#, #""\u0061""#, #""did""#, #""$type""#, #""$link""#, #""$bytes""#, #""""#]
    var text = ""
    if number(0...2) == 0 { appendString(to: &text) } else { text = pick(usual) }
    return text
  }

  private mutating func appendString(to text: inout String) {
    let pieces = [
      "a", "word", "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "é", "€", "🦋", "e\u{301}", "\u{7f}", #"\n"#, #"\""#,
      #"\\"#, #"\/"#, #"\u0000"#, #"\u00e9"#, #"\u20AC"#, #"\ud83e\udd8b"#, #"\b\f\r\t"#,
    ]
    text += "\"" + (0..<number(0...5)).map { _ in pick(pieces) }.joined() + "\""
  }
}
