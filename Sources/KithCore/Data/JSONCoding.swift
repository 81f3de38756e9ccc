// SPDX-License-Identifier: Apache-2.0

/// Encodes and decodes JSON. All JSON of this package goes through here.
package enum JSONCoding {
  /// Decodes one JSON document strictly: anything outside the data model is rejected.
  ///
  /// Rejected are duplicate names in an object, strings that are not UTF-8 or contain a bare control
  /// character, a byte order mark, more than 128 nested arrays and objects, more nodes and elements than the
  /// bounds allow, documents of 512 MiB or more, and anything but white space after the document. Half of a
  /// surrogate pair, such as of an emoji that was cut, becomes U+FFFD. A number that is not a 64-bit integer (`5.0` is one, `5e0` is not) is rejected if it is
  /// decoded, and ignored otherwise. Memory beside the decoded value is at most ten times the size of the
  /// document, and about its size in typical cases.
  ///
  /// - Parameter isStrict: whether optional fields of records that their lexicon defines otherwise are faults.
  /// - Throws: `DecodingError` with the coding path of the fault; if the document itself is invalid, the
  ///   description ends with the byte offset.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], within bounds: JSONBounds = JSONBounds(),
    strictly isStrict: Bool = false
  ) throws -> Value {
    try JSONValueDecoder(root: JSONDocument(reading: bytes, within: bounds, strictly: isStrict)).value(type)
  }

  /// Encodes one JSON document: keys in the order of their bytes, slashes not escaped, no white space.
  ///
  /// - Throws: `EncodingError` for a value outside the data model.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    let draft = JSONDraft()
    try JSONValueEncoder(draft, at: []).encode(value)
    var json: [UInt8] = []
    draft.append(to: &json)
    return json
  }
}
