// SPDX-License-Identifier: Apache-2.0

/// `string`: text, with a format, with known values, or with a closed set of values.
struct StringSchema {
  let format: Format?
  /// In bytes of UTF-8.
  let length: Limits
  let graphemes: Limits
  /// Values that may occur, among others; empty where the lexicon names none.
  let knownValues: [String]
  /// The only values allowed; empty where any is.
  let choices: [String]
  let constant: String?
  let defaultValue: String?

  /// The identifiers that a string may have to be.
  enum Format: String {
    case atIdentifier = "at-identifier"
    case atURI = "at-uri"
    case cid, datetime, did, handle, language, nsid
    case recordKey = "record-key"
    case tid, uri
  }

  init?(_ node: Node) {
    let optional = [
      "format", "minLength", "maxLength", "minGraphemes", "maxGraphemes", "knownValues", "enum", "default",
      "const",
    ]
    guard let fields = Fields(node, optional: optional) else { return nil }
    let formatName = fields.string("format")
    format = formatName.flatMap(Format.init(rawValue:))
    if let formatName, format == nil {
      fields["format"]?.report("the format \"\(formatName)\" is not known")
    }
    length = fields.limits("minLength", "maxLength")
    graphemes = fields.limits("minGraphemes", "maxGraphemes")
    knownValues = fields.strings("knownValues") ?? []
    choices = fields.strings("enum") ?? []
    constant = fields.string("const")
    defaultValue = fields.string("default")
    if let defaultValue, !choices.isEmpty, !choices.contains(defaultValue) {
      fields["default"]?.report("is not among the values of \"enum\"")
    }
    if format != nil, !(knownValues.isEmpty && choices.isEmpty) {
      node.report("a format and a list of values exclude each other")
    }
    if !knownValues.isEmpty, !choices.isEmpty {
      node.report("\"knownValues\" and \"enum\" exclude each other")
    }
  }
}
