// SPDX-License-Identifier: Apache-2.0

/// Puts the fields of a row into bytes, one after the other, as a line of JSON or of CSV.
///
/// The bytes of one row are used again for the next, and a field goes straight into them: a hundred thousand
/// rows cost little more than their own length.
struct RowEncoder {
  /// How a row is written.
  enum Style: Sendable {
    case json
    /// By RFC 4180; text is cleaned where it goes straight to a terminal.
    case csv(cleaned: Bool)
  }

  private let style: Style
  /// What stands before each field, end to end: `{"actor":`, then `,"target":`.
  private let leads: [UInt8]
  /// Where the lead of each field ends.
  private let leadEnds: [Int]
  private var position = 0
  /// The row, without a line break.
  private(set) var bytes: [UInt8] = []

  /// - Parameter names: of the fields, in the order in which each row brings them.
  init(_ names: [String], style: Style) {
    self.style = style
    var leads: [UInt8] = []
    var ends: [Int] = []
    for name in names {
      switch style {
      case .json:
        leads.append(UInt8(ascii: ends.isEmpty ? "{" : ","))
        leads.appendJSON(name)
        leads.append(UInt8(ascii: ":"))
      case .csv:
        if !ends.isEmpty { leads.append(UInt8(ascii: ",")) }
      }
      ends.append(leads.count)
    }
    (self.leads, leadEnds) = (leads, ends)
  }

  /// Takes a row in place of the one before; every field has to come, in the order of the names.
  mutating func encode(_ row: some PrintableRow) {
    bytes.removeAll(keepingCapacity: true)
    position = 0
    row.write(to: &self)
    assert(position == leadEnds.count, "a row writes as many fields as have names")
    if case .json = style { bytes.append(UInt8(ascii: "}")) }
  }

  /// Writes a text.
  mutating func text(_ text: String?) {
    begin()
    guard let text else { return null() }
    switch style {
    case .json: bytes.appendJSON(text)
    case .csv(let cleaned): bytes.appendCSV(cleaned ? TerminalText.clean(text) : text)
    }
  }

  /// Writes yes or no.
  mutating func flag(_ flag: Bool?) {
    begin()
    guard let flag else { return null() }
    bytes.append(contentsOf: (flag ? "true" as StaticString : "false").utf8)
  }

  /// Writes a whole number.
  mutating func number(_ number: Int?) { self.number(digits: number.map(String.init)) }

  /// Writes a number whose digits are chosen already.
  mutating func number(digits: String?) {
    begin()
    guard let digits else { return null() }
    bytes.append(contentsOf: digits.utf8)
  }

  /// Writes a value that has parts: as it is in JSON, as the text of its JSON in a cell of CSV.
  mutating func value(_ value: OutputValue) {
    begin()
    switch style {
    case .json: value.appendJSON(to: &bytes)
    case .csv(let cleaned):
      var json: [UInt8] = []
      value.appendJSON(to: &json)
      let text = String(decoding: json, as: UTF8.self)
      bytes.appendCSV(cleaned ? TerminalText.clean(text) : text)
    }
  }

  private mutating func begin() {
    let lead = (position == 0 ? 0 : leadEnds[position - 1])..<leadEnds[position]
    leads.withUnsafeBufferPointer { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[lead])) }
    position += 1
  }

  /// JSON has a word for what is absent, CSV an empty cell.
  private mutating func null() {
    if case .json = style { bytes.append(contentsOf: ("null" as StaticString).utf8) }
  }
}

extension StaticString {
  fileprivate var utf8: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
