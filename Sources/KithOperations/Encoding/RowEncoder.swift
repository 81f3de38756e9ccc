// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Encodes the fields of a row as a line of JSON or CSV.
///
/// The buffer is reused for all rows, and fields are written directly into it, so large outputs are cheap.
public struct RowEncoder: ~Copyable {
  /// The format of a row.
  public enum Style: Sendable {
    case json
    /// CSV (RFC 4180), one row per line, with text cleaned for a terminal, and verbatim texts escaped.
    ///
    /// - Parameters:
    ///   - raw: whether to keep cells that a spreadsheet would run as formulas.
    ///   - keepsText: whether to keep verbatim texts unchanged.
    case csv(raw: Bool, keepsText: Bool = false)
  }

  /// The start of a field, by its type.
  private enum FieldPrefix: Int, CaseIterable {
    /// `,"target":`
    case plain
    /// Up to the first character of a string: `,"target":"`
    case text
    /// A whole absent field: `,"target":null`
    case absence
  }

  private let style: Style
  /// The leads of all fields in one buffer: plain ones, then those of strings, then absences. Adjacent absent
  /// fields are written with a single copy.
  private let leads: ByteBuffer
  /// The end offset of each lead, after an initial zero.
  private let leadEnds: [Int]
  private let fields: Int
  private var position = 0
  /// The number of fields in ``bytes``; those up to `position` are absent.
  private var written = 0
  private var row = ByteBuffer()
  /// Where the value of the last field that was written begins in ``bytes``.
  private var valueStart = 0
  /// The last text of each field, verbatim ones excepted: rows of a batch have most of them in common.
  private var texts: [LastText]
  /// The fields that are wanted, in that order; nil for all.
  private let selected: [Int]?
  /// Where each field of the row begins and ends in the bytes; kept for a selection alone.
  private var segments: [Range<Int>?] = []
  /// The row of a selection.
  private var selection = ByteBuffer()
  /// The fields of a row by position, if they are kept as values instead of being encoded.
  private var values: [OutputValue]?
  /// The DID that the last row began with, mostly the same in all, and its text.
  private var first: DID?
  private var firstText = ByteBuffer()

  /// The row, without a line break; until the next one is encoded.
  public var bytes: UnsafeBufferPointer<UInt8> { selected == nil ? row.bytes : selection.bytes }

  /// - Parameters:
  ///   - names: of the fields, in the order in which each row brings them.
  ///   - selected: the positions of the fields that are wanted, in the order of the output; nil for all.
  public init(_ names: [String], style: Style, selecting selected: [Int]? = nil) {
    self.style = style
    self.selected = selected
    fields = names.count
    texts = Array(repeating: LastText(), count: names.count)
    var leads: [UInt8] = []
    var ends = [0]
    for lead in FieldPrefix.allCases {
      for (position, name) in names.enumerated() {
        Self.append(lead, of: name, isFirst: position == 0, style, to: &leads)
        ends.append(leads.count)
      }
    }
    self.leads = ByteBuffer(leads)
    leadEnds = ends
  }

  /// The fields of a row with their values, in order; absent ones are null.
  public static func fields<Row: OperationRow>(of row: Row) -> [OutputField] {
    var encoder = RowEncoder([], style: .json)
    encoder.values = Array(repeating: .null, count: Row.fieldNames.count)
    row.write(to: &encoder)
    return zip(Row.fieldNames, encoder.values ?? []).map(OutputField.init)
  }

  /// Keeps the value of the next field, if values are wanted.
  ///
  /// - Returns: whether it was kept, so nothing is to be encoded.
  @inline(__always)  // Large outputs are encoded, and pass here for every field.
  private mutating func keeps(_ value: @autoclosure () -> OutputValue) -> Bool {
    if values == nil { return false }
    values?[position] = value()
    position += 1
    return true
  }

  private static func append(
    _ lead: FieldPrefix, of name: String, isFirst: Bool, _ style: Style, to leads: inout [UInt8]
  ) {
    switch style {
    case .json:
      leads.append(UInt8(ascii: isFirst ? "{" : ","))
      leads.appendJSON(name)
      leads.append(UInt8(ascii: ":"))
      switch lead {
      case .plain: break
      case .text: leads.append(UInt8(ascii: "\""))
      case .absence: leads.append(contentsOf: "null".utf8)
      }
    case .csv:
      // Absent fields are empty cells.
      if !isFirst { leads.append(UInt8(ascii: ",")) }
    }
  }

  /// Encodes a row, replacing the previous one. The row must write every field, in the order of the names.
  public mutating func encode(_ row: some OperationRow) {
    self.row.removeAll()
    (position, written) = (0, 0)
    if selected != nil { segments = Array(repeating: nil, count: fields) }
    row.write(to: &self)
    assert(position == fields, "a row writes as many fields as have names")
    if let selected {
      endSegment()
      select(selected)
    } else {
      writeAbsences()
      if case .json = style { self.row.append(UInt8(ascii: "}")) }
    }
  }

  private mutating func select(_ selected: [Int]) {
    selection.removeAll()
    for (place, field) in selected.enumerated() {
      let segment = segments[field].map { UnsafeBufferPointer(rebasing: row.bytes[$0]) }
      switch style {
      case .json:
        selection.append(UInt8(ascii: place == 0 ? "{" : ","))
        // Each lead begins with the bracket or the comma that its place in the whole row has.
        selection.append(
          UnsafeBufferPointer(rebasing: (segment ?? lead(.absence, of: field..<field + 1)).dropFirst()))
      case .csv:
        if place > 0 { selection.append(UInt8(ascii: ",")) }
        if let segment {
          selection.append(UnsafeBufferPointer(rebasing: segment.dropFirst(field == 0 ? 0 : 1)))
        }
      }
    }
    if case .json = style { selection.append(UInt8(ascii: "}")) }
  }

  /// The last field that was written ends here.
  private mutating func endSegment() {
    guard written > 0, let start = segments[written - 1]?.lowerBound else { return }
    segments[written - 1] = start..<row.count
  }

  /// Writes a string.
  @inline(__always)  // Most strings are absent, which only increments a counter.
  public mutating func text(_ text: String?) {
    if let text { write(text) } else { null() }
  }

  /// Writes a string that has to be read back unchanged.
  public mutating func verbatim(_ text: String?) {
    if let text { write(text, verbatim: true) } else { null() }
  }

  private mutating func write(_ text: String, verbatim: Bool = false) {
    if keeps(.string(text)) { return }
    let field = position
    let isSame = !verbatim && texts[field].holds(text)
    begin(.text)
    if isSame, let value = texts[field].value { return row.append(value) }
    let start = row.count
    defer {
      // A text that comes again is kept as it was written.
      if !verbatim {
        texts[field] = LastText(text: text, value: isSame ? Array(row.bytes[start...]) : nil)
      }
    }
    var text = text
    switch style {
    case .json:
      text.withUTF8 { text in
        if text.isPlainInJSON { return row.append(text) }
        var escaped: [UInt8] = []
        escaped.appendEscaped(text)
        row.append(escaped)
      }
      row.append(UInt8(ascii: "\""))
    case .csv(let raw, let keepsText):
      var cell: [UInt8] = []
      cell.appendCSV(text, raw: raw, as: verbatim ? keepsText ? .verbatim : .escaped : .cleaned)
      row.append(cell)
    }
  }

  /// Writes a DID, which needs no escaping in either style.
  public mutating func text(_ did: DID?) {
    guard let did else { return null() }
    if keeps(.string(did.description)) { return }
    begin(.text)
    if position == 1 {
      if first != did {
        first = did
        firstText.removeAll()
        did.withText { firstText.append($0) }
      }
      row.append(firstText.bytes)
    } else {
      did.withText { row.append($0) }
    }
    if case .json = style { row.append(UInt8(ascii: "\"")) }
  }

  /// Writes the text of the field before once more. Not for the first field.
  public mutating func textAgain() {
    if let value = values?[position - 1], keeps(value) { return }
    guard written == position else { return null() }
    let value = valueStart..<row.count
    begin(.text)
    row.append(again: value)
  }

  /// Writes a Boolean.
  public mutating func flag(_ flag: Bool?) {
    guard let flag else { return null() }
    if keeps(.bool(flag)) { return }
    begin(.plain)
    row.append((flag ? "true" as StaticString : "false").utf8)
  }

  /// Writes a whole number.
  public mutating func number(_ number: Int?) { self.number(digits: number.map(String.init)) }

  /// Writes a number given as digits.
  public mutating func number(digits: String?) {
    guard let digits else { return null() }
    if keeps(.number(digits)) { return }
    begin(.plain)
    row.append(Array(digits.utf8))
  }

  /// Writes a structured value: as JSON, or as JSON text in a CSV cell.
  public mutating func value(_ value: OutputValue) {
    if keeps(value) { return }
    begin(.plain)
    var json: [UInt8] = []
    value.appendJSON(to: &json)
    switch style {
    case .json: row.append(json)
    case .csv(let raw, _):
      var cell: [UInt8] = []
      cell.appendCSV(String(decoding: json, as: UTF8.self), raw: raw)
      row.append(cell)
    }
  }

  /// Marks one or several fields as absent.
  public mutating func null(count: Int = 1) { position += count }

  private mutating func begin(_ lead: FieldPrefix) {
    if selected == nil {
      writeAbsences()
    } else {
      endSegment()
      segments[position] = row.count..<row.count
    }
    append(lead, of: position..<position + 1)
    position += 1
    written = position
    valueStart = row.count
  }

  @inline(__always)  // Mostly there are none.
  private mutating func writeAbsences() {
    if written < position { append(.absence, of: written..<position) }
  }

  @inline(__always)  // More than half of a row are leads.
  private mutating func append(_ lead: FieldPrefix, of some: Range<Int>) {
    row.append(self.lead(lead, of: some))
  }

  @inline(__always)
  private func lead(_ lead: FieldPrefix, of some: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    let first = lead.rawValue * fields
    let start = leadEnds[first + some.lowerBound]
    return UnsafeBufferPointer(
      start: leads.start + start, count: leadEnds[first + some.upperBound] - start)
  }
}

/// The text of a field in the last row.
private struct LastText {
  var text = ""
  /// As it was written, once it was the same in two rows; nil before.
  var value: [UInt8]?

  /// Whether it is that very text: the same bytes at the same place. Whether others are equal takes longer to find out than
  /// to write them.
  @inline(__always)
  func holds(_ other: String) -> Bool {
    unsafeBitCast(text, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self)
  }
}

/// A reusable byte buffer; appending costs a capacity check and a copy.
private struct ByteBuffer: ~Copyable {
  private(set) var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(_ bytes: [UInt8] = []) {
    capacity = max(1_024, bytes.count)
    start = .allocate(capacity: capacity)
    append(bytes)
  }

  deinit { start.deallocate() }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    if bytes.count > capacity - count { grow(by: bytes.count) }
    (start + count).initialize(from: source, count: bytes.count)
    count += bytes.count
  }

  mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append($0) } }

  /// Appends bytes that it has already.
  mutating func append(again range: Range<Int>) {
    if range.count > capacity - count { grow(by: range.count) }
    (start + count).initialize(from: start + range.lowerBound, count: range.count)
    count += range.count
  }

  mutating func append(_ byte: UInt8) {
    if count == capacity { grow(by: 1) }
    (start + count).initialize(to: byte)
    count += 1
  }

  private mutating func grow(by room: Int) {
    capacity = max(2 * capacity, count + room)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.moveInitialize(from: start, count: count)
    start.deallocate()
    start = larger
  }
}

extension StaticString {
  fileprivate var utf8: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
