// SPDX-License-Identifier: Apache-2.0

/// `string`: text with a format, with known values, or with a closed set of values.
struct StringSchema {
  let format: Format?
  /// The limits in UTF-8 bytes.
  let length: Limits
  let graphemes: Limits
  /// The known values of an open set; empty if the lexicon lists none.
  let knownValues: [String]
  /// The allowed values; empty if any value is allowed.
  let choices: [String]
  let constant: String?
  let defaultValue: String?

  /// The formats of identifiers.
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
      fields["format"]?.report("the format \"\(formatName)\" is unknown")
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
      node.report("a format and a list of values cannot be combined")
    }
    if !knownValues.isEmpty, !choices.isEmpty {
      node.report("\"knownValues\" and \"enum\" cannot be combined")
    }
  }
}
