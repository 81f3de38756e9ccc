// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A syntax error in the text of an ``AccountPredicate``.
public struct PredicateError: CodedError {
  public static let domain = "predicate"

  /// The character position of the error, from 1; after the last character if something is missing.
  public let position: Int
  /// What is wrong.
  public let reason: String

  public var code: InvalidValueCode { .invalid }
  /// The position as a phrase: `character 7`.
  public var subject: String { "character \(position)" }
  /// The reason.
  public var detail: String { reason }
  public var errorDescription: String? { "Character \(position): \(reason)".withPeriod }
}

/// A recursive descent parser for ``AccountPredicate``, where the syntax is described.
struct PredicateParser {
  private typealias Expression = AccountPredicate.Expression
  private typealias Fault = PredicateError

  private struct Token: Equatable {
    let text: String
    /// Whether it was quoted, and so is a text in any case.
    let isQuoted: Bool
    let position: Int
  }

  /// More than anyone types by hand; bounds the recursion.
  private static let mostCharacters = 2_000
  private static let mostDepth = 50
  /// Opening quotes with those that close them; word processors write the curly ones.
  private static let quotes: [Character: Set<Character>] = [
    "\"": ["\""], "'": ["'"], "“": ["”", "“"], "„": ["“", "”"], "‘": ["’"], "«": ["»"],
  ]
  /// The most nested segments; deeper nesting means that a segment refers to itself.
  private static let mostSegments = 8
  /// Each account is compared with every term, those of segments included. Segments of segments multiply them.
  private static let mostTerms = 10_000

  private let now: Datetime
  private let text: String
  private let segments: [String: String]
  /// The number of enclosing segments.
  private var nesting = 0
  /// The number of terms so far, those of segments included.
  private var terms = 0
  /// The segments that were parsed, so that each is parsed once, with the number of their terms.
  private var parsed: [String: (expression: Expression, terms: Int)] = [:]
  private var tokens: ArraySlice<Token> = []
  private var depth = 0

  init(_ text: String, now: Datetime, segments: [String: String] = [:]) {
    self.text = text
    self.now = now
    self.segments = segments
  }

  mutating func predicate() throws(PredicateError) -> AccountPredicate.Expression {
    guard text.count <= Self.mostCharacters else {
      throw Fault(
        position: Self.mostCharacters + 1, reason: "longer than \(Self.mostCharacters) characters")
    }
    tokens = try Self.tokens(of: text)[...]
    if tokens.isEmpty { throw Fault(position: 1, reason: "empty; try mutual or followers > 1000") }
    let expression = try disjunction()
    if let token = tokens.first {
      throw Fault(
        position: token.position, reason: "expected \"and\", \"or\" or the end, found \"\(token.text)\"")
    }
    return expression
  }

  // MARK: Tokens

  private static func tokens(of text: String) throws(PredicateError) -> [Token] {
    var tokens: [Token] = []
    let characters = Array(text)
    var place = 0
    while place < characters.count {
      let start = place
      let character = characters[place]
      if character.isWhitespace {
        place += 1
        continue
      }
      if let closing = Self.quotes[character] {
        guard let end = characters[(place + 1)...].firstIndex(where: closing.contains) else {
          throw Fault(position: start + 1, reason: "unclosed quote")
        }
        tokens.append(Token(text: String(characters[(place + 1)..<end]), isQuoted: true, position: start + 1))
        place = end + 1
        continue
      }
      if "()".contains(character) {
        place += 1
      } else if "<>=!".contains(character) {
        while place < characters.count, "<>=!".contains(characters[place]) { place += 1 }
      } else {
        while place < characters.count, !characters[place].isWhitespace,
          !"()<>=!\"'".contains(characters[place])
        {
          place += 1
        }
      }
      tokens.append(Token(text: String(characters[start..<place]), isQuoted: false, position: start + 1))
    }
    return tokens
  }

  private var end: Int { text.count + 1 }

  /// Consumes the next token if it is this word.
  private mutating func consume(_ word: String) -> Bool {
    guard let token = tokens.first, !token.isQuoted, token.text.lowercased() == word else { return false }
    tokens.removeFirst()
    return true
  }

  private mutating func next(_ what: String) throws(PredicateError) -> Token {
    guard let token = tokens.popFirst() else { throw Fault(position: end, reason: "\(what) is missing") }
    return token
  }

  // MARK: Expressions

  private mutating func disjunction() throws(PredicateError) -> Expression {
    var expression = try conjunction()
    while consume("or") { expression = .or(expression, try conjunction()) }
    return expression
  }

  private mutating func conjunction() throws(PredicateError) -> Expression {
    var expression = try negation()
    while consume("and") { expression = .and(expression, try negation()) }
    return expression
  }

  private mutating func negation() throws(PredicateError) -> Expression {
    let position = tokens.first?.position ?? end
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.mostDepth else {
      throw Fault(position: position, reason: "nested more than \(Self.mostDepth) levels deep")
    }
    if consume("not") { return .not(try negation()) }
    guard consume("(") else { return try term() }
    let expression = try disjunction()
    guard consume(")") else {
      throw Fault(
        position: tokens.first?.position ?? end,
        reason: "the parenthesis at character \(position) is not closed")
    }
    return expression
  }

  // MARK: Terms

  private mutating func term() throws(PredicateError) -> Expression {
    let token = try next("a word such as mutual or followers")
    try count(1, at: token)
    let word = token.isQuoted ? "" : token.text.lowercased()
    if let relation = Relation(rawValue: word) { return .term(.relation(relation, try party())) }
    if let number = AccountPredicate.Number(rawValue: word) { return .term(try comparison(of: number)) }
    if let words = AccountPredicate.Words(rawValue: word) { return try text(in: words) }
    if let moment = AccountPredicate.Moment(rawValue: word) { return .term(try time(of: moment)) }
    if let mark = AccountPredicate.Mark(rawValue: word) { return .term(.mark(mark)) }
    if word == "label" { return try label() }
    if word == "on" { return .term(.member(of: try next("a list after on").text)) }
    if word == "status" { return try status() }
    if word == "segment" { return try segment() }
    throw Fault(position: token.position, reason: Self.unknown(token.text))
  }

  /// Counts the terms that a token stands for.
  private mutating func count(_ more: Int, at token: Token) throws(PredicateError) {
    terms += more
    guard terms <= Self.mostTerms else {
      throw Fault(
        position: token.position, reason: "more than \(Self.mostTerms) terms, with those of segments")
    }
  }

  private mutating func party() throws(PredicateError) -> AccountPredicate.Party {
    guard consume("with") else { return .actor }
    let name = try next("an account after with")
    if name.text.lowercased() == "me" { return .viewer }
    do throws(InputError) { return .account(try ActorInput(parsing: name.text).identifier) } catch {
      throw Fault(position: name.position, reason: "\(error)")
    }
  }

  private mutating func comparison(
    of number: AccountPredicate.Number
  ) throws(PredicateError) -> AccountPredicate.Term {
    let sign = try next("a comparison such as > 1000 after \(number.rawValue)")
    guard let comparison = AccountPredicate.Comparison(rawValue: sign.text) else {
      throw Fault(
        position: sign.position,
        reason: "expected <, <=, =, !=, >= or > after \(number.rawValue), found \"\(sign.text)\"")
    }
    let value = try next("a number")
    if !value.isQuoted, let other = AccountPredicate.Number(rawValue: value.text.lowercased()) {
      return .number(number, comparison, .number(other))
    }
    guard let count = Self.count(value.text) else {
      throw Fault(
        position: value.position,
        reason: "\"\(value.text)\" is neither a number such as 1000, 10k or 2m nor another count")
    }
    return .number(number, comparison, .value(count))
  }

  private static func count(_ text: String) -> Int? {
    let factors: [Character: Int] = ["k": 1_000, "m": 1_000_000]
    let factor = text.last.flatMap { factors[Character($0.lowercased())] }
    guard let number = Int(factor == nil ? text[...] : text.dropLast()), number >= 0 else { return nil }
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor ?? 1)
    return isTooLarge ? nil : product
  }

  private static let textVerbs = ["contains", "is", "=", "!="]

  private mutating func text(in words: AccountPredicate.Words) throws(PredicateError) -> Expression {
    try comparison(ofText: words.rawValue) { .words(words, isWhole: $0, $1) }
  }

  /// `label` alone, or with a text.
  private mutating func label() throws(PredicateError) -> Expression {
    guard let verb = tokens.first, !verb.isQuoted, Self.textVerbs.contains(verb.text.lowercased()) else {
      return .term(.label(nil, isWhole: false))
    }
    return try comparison(ofText: "label") { .label($1, isWhole: $0) }
  }

  private mutating func comparison(
    ofText name: String, _ term: (_ isWhole: Bool, FoldedText) -> AccountPredicate.Term
  ) throws(PredicateError) -> Expression {
    let verb = try next("\"contains\" or \"is\" after \(name)")
    let word = verb.text.lowercased()
    guard Self.textVerbs.contains(word) else {
      throw Fault(
        position: verb.position,
        reason: "expected contains, is or is not after \(name), found \"\(verb.text)\"")
    }
    let isNot = word == "!=" || (word != "contains" && consume("not"))
    let text = FoldedText(try next("a text").text)
    let found = Expression.term(term(word != "contains", text))
    return isNot ? .not(found) : found
  }

  private mutating func time(
    of moment: AccountPredicate.Moment
  ) throws(PredicateError) -> AccountPredicate.Term {
    let verb = try next("within, since or before after \(moment)")
    let value = try next("a span such as 90d, or a date")
    switch verb.text.lowercased() {
    case "within":
      guard let span = Duration(span: value.text) else {
        throw Fault(
          position: value.position, reason: "\"\(value.text)\" is not a span such as 12h, 90d or 8w")
      }
      return .moment(moment, isAfter: true, now.instant - span)
    case "since", "before":
      guard let date = Datetime(value.text) ?? Datetime("\(value.text)T00:00:00Z") else {
        throw Fault(position: value.position, reason: "\"\(value.text)\" is not a date such as 2026-01-31")
      }
      return .moment(moment, isAfter: verb.text.lowercased() == "since", date.instant)
    default:
      throw Fault(
        position: verb.position,
        reason: "expected within, since or before after \(moment), found \"\(verb.text)\"")
    }
  }

  private mutating func status() throws(PredicateError) -> Expression {
    let verb = try next("\"is\" after status")
    guard ["is", "=", "!="].contains(verb.text.lowercased()) else {
      throw Fault(
        position: verb.position, reason: "expected is or is not after status, found \"\(verb.text)\"")
    }
    let isNot = verb.text == "!=" || consume("not")
    let value = try next("a status")
    let word = value.text.lowercased()
    guard let status = word == AccountStatus.takenDown ? .suspended : AccountStatus(rawValue: word) else {
      let words = AccountStatus.allCases.map(\.rawValue).joined(separator: ", ")
      throw Fault(
        position: value.position, reason: "unknown status \"\(value.text)\"; use one of \(words)")
    }
    return isNot ? .not(.term(.status(status))) : .term(.status(status))
  }

  private mutating func segment() throws(PredicateError) -> Expression {
    let name = try next("the name of a segment")
    guard let predicate = segments[name.text] else {
      let names = segments.keys.sorted().joined(separator: ", ")
      throw Fault(
        position: name.position,
        reason: "unknown segment \"\(name.text.shortened(toBytes: 64))\"; "
          + (names.isEmpty ? "there are none" : "use one of \(names)"))
    }
    let known: (expression: Expression, terms: Int)
    if let earlier = parsed[name.text] { known = earlier } else { known = try parse(predicate, of: name) }
    // The word `segment` is not a term.
    try count(known.terms - 1, at: name)
    return known.expression
  }

  private mutating func parse(
    _ predicate: String, of name: Token
  ) throws(PredicateError) -> (expression: Expression, terms: Int) {
    guard nesting < Self.mostSegments else {
      throw Fault(position: name.position, reason: "segment \(name.text) refers to itself")
    }
    var parser = PredicateParser(predicate, now: now, segments: segments)
    (parser.nesting, parser.parsed) = (nesting + 1, parsed)
    do throws(PredicateError) {
      let found = (expression: try parser.predicate(), terms: parser.terms)
      parsed = parser.parsed
      parsed[name.text] = found
      return found
    } catch {
      throw Fault(position: name.position, reason: "error in segment \(name.text), \(error)")
    }
  }

  // MARK: Suggestions

  /// The words that predicates begin with.
  static let words =
    Relation.allCases.map(\.rawValue) + AccountPredicate.Number.allCases.map(\.rawValue)
    + AccountPredicate.Words.allCases.map(\.rawValue) + AccountPredicate.Moment.allCases.map(\.rawValue)
    + AccountPredicate.Mark.allCases.map(\.rawValue) + ["label", "on", "status", "segment", "not"]

  private static func unknown(_ word: String) -> String {
    "unknown word \"\(word.shortened(toBytes: 64))\"; use one of \(words.joined(separator: ", "))"
  }
}
