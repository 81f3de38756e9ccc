// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithOperations
@testable import KithRelationships
@testable import KithWriting
@testable import kith

@Suite struct CheckVerdictTests {
  /// One answer, by its result for `--is following`.
  enum Kind: Character, CaseIterable {
    case yes = "y"
    case no = "n"
    case itself = "s"
    case missing = "m"
    case unread = "b"
    case failed = "f"
    case limited = "r"

    var answer: RelationshipAnswer {
      get throws {
        let (actor, target) = (Accounts.did(1), Accounts.did(2))
        let follow = ATURI("at://\(actor)/app.bsky.graph.follow/3jzfcijpj2z2a")
        let at = Datetime(at: 0)
        let state: RelationshipAnswer.State =
          switch self {
          case .yes:
            .known(
              RelationshipInfo(
                actor: actor, target: target, following: follow, checkedAt: at, source: .appview))
          case .no: .known(RelationshipInfo(actor: actor, target: target, checkedAt: at, source: .appview))
          case .itself: .itself
          case .missing: .notFound(reason: "no account has this handle")
          case .unread: .failed(RelationshipError(.invalidInput, detail: "\"x y\" names no account"))
          case .failed: .failed(RelationshipError(.networkError, detail: "no connection"))
          case .limited:
            .failed(RelationshipError(.rateLimited, detail: "asked too often", retryAfter: .seconds(40)))
          }
        return RelationshipAnswer(input: "bob.test", target: target, state: state, presence: .shown)
      }
    }
  }

  /// A missing edge of an account that the AppView may not show decides nothing.
  @Test(arguments: [true, false, nil] as [Bool?])
  func asksWhetherAnAccountIsShownBeforeItSaysNo(isShown: Bool?) throws {
    let (actor, target) = (Accounts.did(1), Accounts.did(2))
    let at = Datetime(at: 0)
    let info = RelationshipInfo(actor: actor, target: target, checkedAt: at, source: .appview)
    let answer = RelationshipAnswer(input: "bob.test", target: target, state: .known(info))
    for (relation, yes) in [(Relation.followedBy, Int32(1)), (.blockedBy, 1), (.none, 0)] {
      var verdict = CheckVerdict(predicate: AccountPredicate(relation), quantifier: .all)
      verdict.add(answer)
      #expect(verdict.open == [answer])
      let outcome: Result<AccountView?, RelationshipError> =
        isShown.map { .success($0 ? AccountView(target) : nil) }
        ?? .failure(RelationshipError(.networkError, detail: "no connection"))
      verdict.resolve([target: outcome])
      #expect(verdict.open.isEmpty)
      #expect(ExitStatus(verdict.answer).rawValue == (isShown == true ? yes : 69))
    }
    // The actor's own edges need no such question.
    var verdict = CheckVerdict(predicate: AccountPredicate(.following), quantifier: .all)
    verdict.add(answer)
    #expect(verdict.open.isEmpty && ExitStatus(verdict.answer) == .no)
  }

  /// What an actor that the AppView does not show follows or blocks is unknown, too.
  @Test func aHiddenActorDecidesNothing() throws {
    let (actor, target) = (Accounts.did(1), Accounts.did(2))
    let at = Datetime(at: 0)
    let follow = try ATURI(parsing: "at://\(actor)/app.bsky.graph.follow/3k")
    func status(_ relation: Relation, following: ATURI? = nil) -> Int32 {
      let info = RelationshipInfo(
        actor: actor, target: target, following: following, checkedAt: at, source: .appview)
      var verdict = CheckVerdict(predicate: AccountPredicate(relation), quantifier: .all)
      verdict.add(
        RelationshipAnswer(
          input: "bob.test", target: target, state: .known(info), presence: .shown, isActorHidden: true))
      return ExitStatus(verdict.answer).rawValue
    }
    for relation in [Relation.following, .blocking, .blocked, .none] { #expect(status(relation) == 69) }
    #expect(status(.followedBy) == 1 && status(.mutual) == 1)
    #expect(status(.following, following: follow) == 0 && status(.none, following: follow) == 1)
  }

  private func verdict(
    _ answers: String, _ relation: Relation?, _ quantifier: CheckRelationships.Quantifier = .all
  ) throws -> CheckVerdict {
    var verdict = CheckVerdict(predicate: relation.map { AccountPredicate($0) }, quantifier: quantifier)
    for letter in answers { verdict.add(try #require(try Kind(rawValue: letter)?.answer)) }
    return verdict
  }

  @Test(arguments: [
    ("", 1, 1), ("y", 0, 0), ("n", 1, 1), ("s", 1, 1), ("m", 67, 67), ("b", 65, 65), ("f", 69, 69),
    ("r", 75, 75),
    ("yy", 0, 0), ("yn", 1, 0), ("nn", 1, 1), ("ys", 0, 0), ("ns", 1, 1), ("ym", 1, 0), ("nm", 1, 1),
    ("mm", 67, 67), ("sm", 67, 67), ("ssy", 0, 0),
    ("yb", 65, 65), ("nb", 65, 65), ("yf", 69, 69), ("nf", 69, 69), ("mf", 69, 69), ("fr", 69, 69),
    ("rb", 75, 75), ("mb", 65, 65),
  ])
  func theStatusAnswersAPredicate(answers: String, all: Int32, any: Int32) throws {
    #expect(ExitStatus(try verdict(answers, .following, .all).answer).rawValue == all)
    #expect(ExitStatus(try verdict(answers, .following, .any).answer).rawValue == any)
  }

  @Test(arguments: [
    ("", 0), ("y", 0), ("n", 0), ("s", 0), ("m", 67), ("mm", 0), ("nm", 0), ("b", 65), ("nf", 69), ("fr", 69),
  ])
  func withoutAPredicateOnlyErrorsCount(answers: String, status: Int32) throws {
    #expect(ExitStatus(try verdict(answers, nil).answer).rawValue == status)
  }

  @Test(arguments: [("n", 0), ("s", 0), ("y", 1), ("ns", 0), ("nm", 1)])
  func noneHoldsForUnrelatedAccountsAndForOneself(answers: String, status: Int32) throws {
    #expect(ExitStatus(try verdict(answers, Relation.none).answer).rawValue == status)
  }

  @Test(
    arguments: [
      ("", .noInput("targets")), ("y", nil), ("mm", nil), ("b", nil),
      ("m", .notFound("bob.test", "no account has this handle")), ("f", noConnection),
      ("r", Message(RelationshipError(.rateLimited, detail: "asked too often", retryAfter: .seconds(40)))),
      ("yf", .lookupsFailed(1, of: 2, first: noConnection)),
      ("frb", .lookupsFailed(2, of: 3, first: noConnection)),
    ] as [(String, Message?)])
  func complaintSaysWhatTheRowsDoNot(answers: String, complaint: Message?) throws {
    #expect(Message(complainingAbout: try verdict(answers, nil)) == complaint)
  }

  private static let noConnection = Message(RelationshipError(.networkError, detail: "no connection"))
}
