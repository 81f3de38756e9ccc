// SPDX-License-Identifier: Apache-2.0

import Testing

/// The complete output for records and methods.
@Suite struct MethodSnippetTests {
  @Test func recordAndWhatItHolds() throws {
    let text = try snippet(
      ##"""
      "main": {"type": "record", "key": "tid", "record": {"type": "object", "required": ["tags"], "properties": {
        "tags": {"type": "array", "maxLength": 2, "items": {"type": "string", "maxGraphemes": 3}},
        "rest": {"type": "array", "items": {"type": "ref", "ref": "#rest"}}}}},
      "rest": {"type": "object", "required": ["a"], "properties": {
        "a": {"type": "integer", "enum": [1, 2]}, "raw": {"type": "bytes", "minLength": 1},
        "file": {"type": "blob", "accept": ["image/*"], "maxSize": 1000000}}},
      "other": {"type": "object", "properties": {"a": {"type": "integer", "enum": [1, 2]}}}
      """##)
    #expect(
      text == """
        /// Record `com.example.doc`.
        public struct Doc: LexiconRecord {
          public static let nsid: NSID = NSID(generated: "com.example.doc")

          /// At most 2 elements.
          public var tags: [String]
          public var rest: [Com.Example.Doc.Rest]?
          public var unknownFields: DataObject = [:]

          public init(tags: [String], rest: [Com.Example.Doc.Rest]? = nil) {
            self.tags = tags
            self.rest = rest
          }

          public init(from decoder: any Decoder) throws {
            try Self.checkType(in: decoder)
            let container = try decoder.container(keyedBy: DataKey.self)
            var unread = UnreadFields()
            self.tags = try container.decode([String].self, forKey: "tags")
            self.rest = container.decodeReadable([Com.Example.Doc.Rest].self, forKey: "rest", noting: &unread)
            self.unknownFields = try Self.unknownFields(in: decoder, besides: ["tags", "rest"], unread: unread)
          }

          public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: DataKey.self)
            try encodeUnknownFields(to: encoder)
            try container.encode(tags, forKey: "tags")
            try container.encodeIfPresent(rest, forKey: "rest")
            try encodeType(to: encoder)
          }

          public func validate() throws(ValidationError) {
            try Validation.count(tags, at: "tags", max: 2)
            try Validation.each(tags, at: "tags") { (element) throws(ValidationError) in
              try Validation.graphemes(element, at: "", max: 3)
            }
            try Validation.values(rest, at: "rest")
          }

          /// `com.example.doc#rest`.
          public struct Rest: LexiconObject, ConstrainedValue {
            /// One of [1, 2].
            public var a: Int
            /// At least 1 byte.
            public var raw: Bytes?
            /// `image/*`; at most 1000000 bytes.
            public var file: Blob?
            public var unknownFields: DataObject = [:]

            public init(a: Int, raw: Bytes? = nil, file: Blob? = nil) {
              self.a = a
              self.raw = raw
              self.file = file
            }

            public init(from decoder: any Decoder) throws {
              let container = try decoder.container(keyedBy: DataKey.self)
              var unread = UnreadFields()
              self.a = try container.decode(Int.self, forKey: "a")
              self.raw = container.decodeReadable(Bytes.self, forKey: "raw", noting: &unread)
              self.file = container.decodeReadable(Blob.self, forKey: "file", noting: &unread)
              self.unknownFields = try Self.unknownFields(in: decoder, besides: ["a", "raw", "file"], unread: unread)
            }

            public func encode(to encoder: any Encoder) throws {
              var container = encoder.container(keyedBy: DataKey.self)
              try encodeUnknownFields(to: encoder)
              try container.encode(a, forKey: "a")
              try container.encodeIfPresent(raw, forKey: "raw")
              try container.encodeIfPresent(file, forKey: "file")
            }

            public func validate() throws(ValidationError) {
              try Validation.choice(a, at: "a", among: [1, 2])
              try Validation.size(raw, at: "raw", min: 1)
              try Validation.blob(file, at: "file", accept: ["image/*"], maxSize: 1_000_000)
            }
          }

          /// `com.example.doc#other`.
          public struct Other: Codable, Hashable, Sendable {
            /// One of [1, 2].
            public var a: Int?

            public init(a: Int? = nil) {
              self.a = a
            }

            public init(from decoder: any Decoder) throws {
              let container = try decoder.container(keyedBy: DataKey.self)
              self.a = container.decodeIfReadable(Int.self, forKey: "a")
            }

            public func encode(to encoder: any Encoder) throws {
              var container = encoder.container(keyedBy: DataKey.self)
              try container.encodeIfPresent(a, forKey: "a")
            }
          }
        }
        """)
  }

  @Test func queryWithParametersAndErrors() throws {
    let text = try snippet(
      ##"""
      "main": {"type": "query", "parameters": {"type": "params", "required": ["q"], "properties": {
        "q": {"type": "string", "minLength": 1},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50},
        "order": {"type": "string", "enum": ["up"]},
        "ids": {"type": "array", "items": {"type": "string", "format": "did"}}}},
      "output": {"encoding": "application/json", "schema": {"type": "ref", "ref": "#page"}},
      "errors": [{"name": "NotFound"}]},
      "page": {"type": "object", "properties": {"cursor": {"type": "string"}}}
      """##)
    #expect(
      text == """
        /// Query `com.example.doc`.
        public enum Doc: XRPCQuery {
          public static let nsid: NSID = NSID(generated: "com.example.doc")

          public typealias Output = Com.Example.Doc.Page

          public struct Parameters: XRPCParameters {
            /// At least 1 byte.
            public var q: String
            /// 1 to 100; 50 where absent.
            public var limit: Int?
            public var order: Order?
            public var ids: [DID]?

            public init(q: String, limit: Int? = nil, order: Order? = nil, ids: [DID]? = nil) {
              self.q = q
              self.limit = limit
              self.order = order
              self.ids = ids
            }

            public init(reading query: XRPCQueryReader) throws(ValidationError) {
              self.q = try query.required("q")
              self.limit = try query.optional("limit")
              self.order = try query.optional("order")
              self.ids = try query.each("ids")
            }

            public var queryItems: [XRPCQueryItem] {
              var items: [XRPCQueryItem] = []
              items.append("q", q)
              items.append("limit", limit)
              items.append("order", order?.rawValue)
              items.append("ids", each: ids)
              return items
            }

            public func validate() throws(ValidationError) {
              try Validation.length(q, at: "q", min: 1)
              try Validation.range(limit, at: "limit", min: 1, max: 100)
            }

            public enum Order: String, Codable, Hashable, Sendable {
              case up
            }
          }

          public enum ErrorName {
            public static let notFound: XRPCErrorName = XRPCErrorName(rawValue: "NotFound")
          }

          /// `com.example.doc#page`.
          public struct Page: XRPCPayload, Codable {
            public var cursor: String?

            public init(cursor: String? = nil) {
              self.cursor = cursor
            }

            public init(from decoder: any Decoder) throws {
              let container = try decoder.container(keyedBy: DataKey.self)
              self.cursor = try container.decodeIfPresent(String.self, forKey: "cursor")
            }

            public func encode(to encoder: any Encoder) throws {
              var container = encoder.container(keyedBy: DataKey.self)
              try container.encodeIfPresent(cursor, forKey: "cursor")
            }
          }
        }
        """)
  }

  @Test func bodiesThatAreNotJSON() throws {
    let text = try snippet(
      ##"""
      "main": {"type": "procedure", "input": {"encoding": "*/*"},
        "output": {"encoding": "application/vnd.ipld.car"}}
      """##)
    #expect(
      text == """
        /// Procedure `com.example.doc`.
        public enum Doc: XRPCProcedure {
          public static let nsid: NSID = NSID(generated: "com.example.doc")
          public static let inputEncoding: String? = "*/*"
          public static let outputEncoding: String? = "application/vnd.ipld.car"

          public typealias Input = RawPayload
          public typealias Output = RawPayload
        }
        """)
  }

  @Test func aMethodWithNothing() throws {
    #expect(
      try snippet(#""main": {"type": "procedure"}"#) == """
        /// Procedure `com.example.doc`.
        public enum Doc: XRPCProcedure {
          public static let nsid: NSID = NSID(generated: "com.example.doc")
        }
        """)
  }

  @Test func whatIsReadAndWrittenBackKeepsUnknownFields() throws {
    let text = try snippet(
      ##"""
      "main": {"type": "procedure",
        "input": {"encoding": "application/json", "schema": {"type": "object", "properties": {
          "both": {"type": "ref", "ref": "#both"}, "sent": {"type": "ref", "ref": "#sent"}}}},
        "output": {"encoding": "application/json", "schema": {"type": "object", "properties": {
          "both": {"type": "ref", "ref": "#both"}}}}},
      "both": {"type": "object", "properties": {}},
      "sent": {"type": "object", "properties": {}}
      """##)
    #expect(text.contains("public struct Both: LexiconObject {"))
    #expect(text.contains("public struct Sent: Codable, Hashable, Sendable {"))
  }

  @Test func subscription() throws {
    let text = try snippet(
      ##"""
      "main": {"type": "subscription", "message": {"schema": {"type": "union", "refs": ["#info"]}},
        "errors": [{"name": "FutureCursor"}]},
      "info": {"type": "object", "properties": {}}
      """##)
    #expect(
      text == """
        /// Subscription `com.example.doc`.
        public enum Doc: XRPCSubscription {
          public static let nsid: NSID = NSID(generated: "com.example.doc")

          public enum Message: LexiconUnion {
            case info(Com.Example.Doc.Info)
            case unknown(UnknownUnionMember)

            public init(from decoder: any Decoder) throws {
              switch try Self.memberType(of: decoder) {
              case "com.example.doc#info": self = .info(try Com.Example.Doc.Info(from: decoder))
              default: self = .unknown(try UnknownUnionMember(from: decoder))
              }
            }

            public func encode(to encoder: any Encoder) throws {
              switch self {
              case .info(let value): try Self.encode(value, as: "com.example.doc#info", to: encoder)
              case .unknown(let value): try value.encode(to: encoder)
              }
            }
          }

          public enum ErrorName {
            public static let futureCursor: XRPCErrorName = XRPCErrorName(rawValue: "FutureCursor")
          }

          /// `com.example.doc#info`.
          public struct Info: Codable, Hashable, Sendable {
            public init() {}
          }
        }
        """)
  }
}
