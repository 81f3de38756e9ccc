// SPDX-License-Identifier: Apache-2.0

extension ScannedIdentifier {
  public init(from decoder: any Decoder) throws {
    if let json = JSONValueDecoder(decoder), json.kind == .string,
      let value = withExtendedLifetime(json, { Self(valid: json.utf8) })
    {
      self = value
    } else {
      // The slow path for other decoders reports what is wrong.
      try self.init(decodingText: decoder)
    }
  }
}
