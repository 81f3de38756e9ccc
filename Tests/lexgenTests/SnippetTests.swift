// SPDX-License-Identifier: Apache-2.0

import Testing

/// The complete output for each construct of the lexicon language.
@Suite struct SnippetTests {
  @Test func plainTypesAndFormats() throws {
    let text = try snippet(
      ##"""
      "a": {"type": "object", "required": ["did", "list"], "properties": {
        "did": {"type": "string", "format": "did"}, "handle": {"type": "string", "format": "handle"},
        "either": {"type": "string", "format": "at-identifier"}, "uri": {"type": "string", "format": "at-uri"},
        "cid": {"type": "string", "format": "cid"}, "when": {"type": "string", "format": "datetime"},
        "lang": {"type": "string", "format": "language"}, "nsid": {"type": "string", "format": "nsid"},
        "rkey": {"type": "string", "format": "record-key"}, "tid": {"type": "string", "format": "tid"},
        "web": {"type": "string", "format": "uri"}, "text": {"type": "string"}, "link": {"type": "cid-link"},
        "bytes": {"type": "bytes"}, "blob": {"type": "blob"}, "any": {"type": "unknown"},
        "flag": {"type": "boolean"}, "count": {"type": "integer", "default": 3},
        "list": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}}}
      """##)
    #expect(
      text == """
        public enum Doc {
          /// `com.example.doc#a`.
          public struct A: Codable, Hashable, Sendable {
            public var did: DID
            public var handle: Handle?
            public var either: ATIdentifier?
            public var uri: ATURI?
            public var cid: CID?
            public var when: Datetime?
            public var lang: LanguageTag?
            public var nsid: NSID?
            public var rkey: RecordKey?
            public var tid: TID?
            public var web: URI?
            public var text: String?
            public var link: CIDLink?
            public var bytes: Bytes?
            public var blob: Blob?
            public var any: DataValue?
            public var flag: Bool?
            /// 3 where absent.
            public var count: Int?
            public var list: [[Int]]

            public init(
              did: DID, handle: Handle? = nil, either: ATIdentifier? = nil, uri: ATURI? = nil, cid: CID? = nil,
              when: Datetime? = nil, lang: LanguageTag? = nil, nsid: NSID? = nil, rkey: RecordKey? = nil,
              tid: TID? = nil, web: URI? = nil, text: String? = nil, link: CIDLink? = nil, bytes: Bytes? = nil,
              blob: Blob? = nil, any: DataValue? = nil, flag: Bool? = nil, count: Int? = nil, list: [[Int]]
            ) {
              self.did = did
              self.handle = handle
              self.either = either
              self.uri = uri
              self.cid = cid
              self.when = when
              self.lang = lang
              self.nsid = nsid
              self.rkey = rkey
              self.tid = tid
              self.web = web
              self.text = text
              self.link = link
              self.bytes = bytes
              self.blob = blob
              self.any = any
              self.flag = flag
              self.count = count
              self.list = list
            }

            public init(from decoder: any Decoder) throws {
              let container = try decoder.container(keyedBy: DataKey.self)
              self.did = try container.decode(DID.self, forKey: "did")
              self.handle = try container.decodeIfPresent(Handle.self, forKey: "handle")
              self.either = try container.decodeIfPresent(ATIdentifier.self, forKey: "either")
              self.uri = try container.decodeIfPresent(ATURI.self, forKey: "uri")
              self.cid = try container.decodeIfPresent(CID.self, forKey: "cid")
              self.when = container.decodeIfReadable(Datetime.self, forKey: "when")
              self.lang = container.decodeIfReadable(LanguageTag.self, forKey: "lang")
              self.nsid = try container.decodeIfPresent(NSID.self, forKey: "nsid")
              self.rkey = try container.decodeIfPresent(RecordKey.self, forKey: "rkey")
              self.tid = try container.decodeIfPresent(TID.self, forKey: "tid")
              self.web = container.decodeIfReadable(URI.self, forKey: "web")
              self.text = container.decodeIfReadable(String.self, forKey: "text")
              self.link = container.decodeIfReadable(CIDLink.self, forKey: "link")
              self.bytes = container.decodeIfReadable(Bytes.self, forKey: "bytes")
              self.blob = container.decodeIfReadable(Blob.self, forKey: "blob")
              self.any = container.decodeIfReadable(DataValue.self, forKey: "any")
              self.flag = try container.decodeIfPresent(Bool.self, forKey: "flag")
              self.count = container.decodeIfReadable(Int.self, forKey: "count")
              self.list = try container.decode([[Int]].self, forKey: "list")
            }

            public func encode(to encoder: any Encoder) throws {
              var container = encoder.container(keyedBy: DataKey.self)
              try container.encode(did, forKey: "did")
              try container.encodeIfPresent(handle, forKey: "handle")
              try container.encodeIfPresent(either, forKey: "either")
              try container.encodeIfPresent(uri, forKey: "uri")
              try container.encodeIfPresent(cid, forKey: "cid")
              try container.encodeIfPresent(when, forKey: "when")
              try container.encodeIfPresent(lang, forKey: "lang")
              try container.encodeIfPresent(nsid, forKey: "nsid")
              try container.encodeIfPresent(rkey, forKey: "rkey")
              try container.encodeIfPresent(tid, forKey: "tid")
              try container.encodeIfPresent(web, forKey: "web")
              try container.encodeIfPresent(text, forKey: "text")
              try container.encodeIfPresent(link, forKey: "link")
              try container.encodeIfPresent(bytes, forKey: "bytes")
              try container.encodeIfPresent(blob, forKey: "blob")
              try container.encodeIfPresent(any, forKey: "any")
              try container.encodeIfPresent(flag, forKey: "flag")
              try container.encodeIfPresent(count, forKey: "count")
              try container.encode(list, forKey: "list")
            }
          }
        }
        """)
  }

  @Test func stringsWithValuesAndTokens() throws {
    let text = try snippet(
      ##"""
      "sort": {"type": "string", "knownValues": ["latest", "!no-top", "com.example.a#top", "com.example.b#top"]},
      "state": {"type": "string", "enum": ["on", "half-on", "default"]},
      "token": {"type": "token"},
      "name": {"type": "string", "maxLength": 3},
      "kinds": {"type": "array", "items": {"type": "string", "knownValues": ["a"]}}
      """##)
    #expect(
      text == """
        public enum Doc {
          public static let token: String = "com.example.doc#token"

          /// `com.example.doc#name`.
          public typealias Name = String
          /// `com.example.doc#kinds`.
          public typealias Kinds = [KindsElement]

          /// `com.example.doc#sort`.
          public struct Sort: OpenEnum {
            public static let latest: Self = Self(rawValue: "latest")
            public static let noTop: Self = Self(rawValue: "!no-top")
            public static let top: Self = Self(rawValue: "com.example.a#top")
            public static let comExampleBTop: Self = Self(rawValue: "com.example.b#top")

            public let rawValue: String

            public init(rawValue: String) {
              self.rawValue = rawValue
            }
          }

          /// `com.example.doc#state`.
          public enum State: String, Codable, Hashable, Sendable {
            case on
            case halfOn = "half-on"
            case `default` = "default"
          }

          public struct KindsElement: OpenEnum {
            public static let a: Self = Self(rawValue: "a")

            public let rawValue: String

            public init(rawValue: String) {
              self.rawValue = rawValue
            }
          }
        }
        """)
  }

  @Test func openAndClosedUnions() throws {
    let text = try snippet(
      ##"""
      "main": {"type": "object", "required": ["open", "closed"], "properties": {
        "open": {"type": "union", "refs": ["#a"]},
        "closed": {"type": "union", "refs": ["#a"], "closed": true}}},
      "a": {"type": "object", "properties": {}}
      """##)
    #expect(
      text == """
        /// `com.example.doc`.
        public struct Doc: Codable, Hashable, Sendable {
          public var open: Open
          public var closed: Closed

          public init(open: Open, closed: Closed) {
            self.open = open
            self.closed = closed
          }

          public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: DataKey.self)
            self.open = try container.decode(Open.self, forKey: "open")
            self.closed = try container.decode(Closed.self, forKey: "closed")
          }

          public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: DataKey.self)
            try container.encode(open, forKey: "open")
            try container.encode(closed, forKey: "closed")
          }

          /// `com.example.doc#a`.
          public struct A: Codable, Hashable, Sendable {
            public init() {}
          }

          public enum Open: LexiconUnion {
            case a(Com.Example.Doc.A)
            case unknown(UnknownUnionMember)

            public init(from decoder: any Decoder) throws {
              switch try Self.memberType(of: decoder) {
              case "com.example.doc#a": self = .a(try Com.Example.Doc.A(from: decoder))
              default: self = .unknown(try UnknownUnionMember(from: decoder))
              }
            }

            public func encode(to encoder: any Encoder) throws {
              switch self {
              case .a(let value): try Self.encode(value, as: "com.example.doc#a", to: encoder)
              case .unknown(let value): try value.encode(to: encoder)
              }
            }
          }

          public enum Closed: LexiconUnion {
            case a(Com.Example.Doc.A)

            public init(from decoder: any Decoder) throws {
              switch try Self.memberType(of: decoder) {
              case "com.example.doc#a": self = .a(try Com.Example.Doc.A(from: decoder))
              default: throw try Self.unexpectedMember(of: decoder)
              }
            }

            public func encode(to encoder: any Encoder) throws {
              switch self {
              case .a(let value): try Self.encode(value, as: "com.example.doc#a", to: encoder)
              }
            }
          }
        }
        """)
  }

  @Test func boxesRecursionWithoutAnArrayInBetween() throws {
    let text = try snippet(
      ##"""
      "main": {"type": "object", "properties": {
        "parent": {"type": "union", "refs": ["#main"]},
        "twin": {"type": "ref", "ref": "#main"},
        "children": {"type": "array", "items": {"type": "ref", "ref": "#main"}},
        "replies": {"type": "array", "items": {"type": "union", "refs": ["#main"]}},
        "leaf": {"type": "ref", "ref": "#leaf"}}},
      "leaf": {"type": "object", "properties": {}}
      """##)
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines.contains("public var twin: Indirect<Com.Example.Doc>?"))
    #expect(lines.contains("public var children: [Com.Example.Doc]?"))
    #expect(lines.contains("public var leaf: Com.Example.Doc.Leaf?"))
    #expect(lines.contains("public indirect enum Parent: LexiconUnion {"))
    #expect(lines.contains("public enum RepliesElement: LexiconUnion {"))
  }

  @Test func nullAndConstants() throws {
    let text = try snippet(
      ##"""
      "main": {"type": "object", "required": ["b", "d"], "nullable": ["a", "b"], "properties": {
        "a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer", "const": 1},
        "d": {"type": "string", "const": "x"}}}
      """##)
    #expect(
      text == """
        /// `com.example.doc`.
        public struct Doc: Codable, Hashable, Sendable {
          public var a: Nullable<Int>?
          public var b: Int?
          /// Always 1.
          public var c: Int?
          /// Always "x".
          public var d: String { "x" }

          public init(a: Nullable<Int>? = nil, b: Int? = nil, c: Int? = nil) {
            self.a = a
            self.b = b
            self.c = c
          }

          public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: DataKey.self)
            self.a = try container.decodeUnlessAbsent(Nullable<Int>.self, forKey: "a")
            self.b = try container.decode(Int?.self, forKey: "b")
            self.c = container.decodeIfReadable(Int.self, forKey: "c")
            try container.decodeConstant("x", forKey: "d")
          }

          public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: DataKey.self)
            try container.encodeIfPresent(a, forKey: "a")
            try container.encode(b, forKey: "b")
            try container.encodeIfPresent(c, forKey: "c")
            try container.encode(d, forKey: "d")
          }
        }
        """)
  }

  @Test func largePartsThatMayBeAbsentAreKeptElsewhere() throws {
    let members = (1...9).map { number in "\"f\(number)\": {\"type\": \"integer\"}" }
    let text = try snippet(
      ##"""
      "main": {"type": "object", "required": ["inPlace"], "properties": {
        "inPlace": {"type": "ref", "ref": "#large"}, "part": {"type": "ref", "ref": "#large"},
        "small": {"type": "ref", "ref": "#small"}, "again": {"type": "ref", "ref": "#holder"}}},
      "large": {"type": "object", "properties": {\##(members.joined(separator: ", "))}},
      "small": {"type": "object", "properties": {\##(members.dropLast().joined(separator: ", "))}},
      "holder": {"type": "object", "properties": {"large": {"type": "ref", "ref": "#large"}}}
      """##)
    let lines = text.split(separator: "\n").map { line in line.drop { $0 == " " } }
    let expected: [Substring] = [
      "public var inPlace: Com.Example.Doc.Large", "@Boxed public var part: Com.Example.Doc.Large?",
      "public var small: Com.Example.Doc.Small?", "public var again: Com.Example.Doc.Holder?",
      "@Boxed public var large: Com.Example.Doc.Large?",
    ]
    #expect(lines.filter { $0.contains("public var") && $0.contains("Com.") } == expected)
  }

  @Test func namesThatSwiftWouldMisread() throws {
    let text = try snippet(
      ##"""
      "main": {"type": "object", "properties": {
        "default": {"type": "integer"}, "validate": {"type": "boolean"}, "cid-link": {"type": "integer"},
        "type": {"type": "string", "enum": ["a"]}, "string": {"type": "object", "properties": {}}}}
      """##)
    #expect(
      text == """
        /// `com.example.doc`.
        public struct Doc: Codable, Hashable, Sendable {
          public var `default`: Int?
          public var validateValue: Bool?
          public var cidLink: Int?
          public var type: TypeValue?
          public var string: StringValue?

          public init(
            `default`: Int? = nil, validate validateValue: Bool? = nil, cidLink: Int? = nil, type: TypeValue? = nil,
            string: StringValue? = nil
          ) {
            self.default = `default`
            self.validateValue = validateValue
            self.cidLink = cidLink
            self.type = type
            self.string = string
          }

          public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: DataKey.self)
            self.default = container.decodeIfReadable(Int.self, forKey: "default")
            self.validateValue = try container.decodeIfPresent(Bool.self, forKey: "validate")
            self.cidLink = container.decodeIfReadable(Int.self, forKey: "cid-link")
            self.type = container.decodeIfReadable(TypeValue.self, forKey: "type")
            self.string = container.decodeIfReadable(StringValue.self, forKey: "string")
          }

          public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: DataKey.self)
            try container.encodeIfPresent(`default`, forKey: "default")
            try container.encodeIfPresent(validateValue, forKey: "validate")
            try container.encodeIfPresent(cidLink, forKey: "cid-link")
            try container.encodeIfPresent(type, forKey: "type")
            try container.encodeIfPresent(string, forKey: "string")
          }

          public enum TypeValue: String, Codable, Hashable, Sendable {
            case a
          }

          public struct StringValue: Codable, Hashable, Sendable {
            public init() {}
          }
        }
        """)
  }
}
