// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// One target of a query, as it was named.
public struct RelationshipQuestion: Sendable, Hashable {
  /// The text that names the target; nil if it was given as a DID.
  public let input: String?
  /// The target.
  public let target: Target
  /// The target from a listing, passed on to the answer; nil if it does not come from a listing.
  public let view: AccountView?
  /// Where it comes from; one reference, because most come from nowhere in particular, and questions are copied.
  private var origin: SharedValue<Origin>?

  private struct Origin: Sendable, Hashable {
    var line: UInt32 = 0
    var requestCID: String?
  }

  /// The number of its line in a file, from 1; 0 if it does not come from one.
  var line: UInt32 { origin?.value.line ?? 0 }

  /// The CID of the friend request that a row is about; nil for other inputs. As text, it takes little room.
  package var requestCID: String? { origin?.value.requestCID }

  /// The same question, from a row about a version of a friend request.
  package func aboutRequest(_ cid: String?) -> RelationshipQuestion {
    if cid == requestCID { return self }
    return with { $0.requestCID = cid }
  }

  /// The same question, which says where it stands if its name leads to no account.
  package func onLine(_ number: Int) -> RelationshipQuestion {
    with { $0.line = UInt32(clamping: number) }
  }

  private func with(_ change: (inout Origin) -> Void) -> RelationshipQuestion {
    var (question, origin) = (self, origin?.value ?? Origin())
    change(&origin)
    question.origin = SharedValue(origin)
    return question
  }

  /// Why the name leads to no account, with its line.
  func placed(_ reason: String) -> String { Self.placed(reason, onLine: line) }

  /// A reason with the line that it is about; zero for none.
  static func placed(_ reason: String, onLine line: UInt32) -> String {
    line > 0 ? "\(reason) (line \(line))" : reason
  }

  /// What a text names.
  public enum Target: Sendable, Hashable {
    /// An account.
    case did(DID)
    /// A handle, which has to be resolved first: an AppView does not resolve handles among targets (Q1).
    case handle(Handle)
    /// An invalid identifier. It is kept so that its answer appears at its place.
    case unreadable(InputError)
  }

  /// Creates a question about a parsed target.
  public init(input: String?, target: Target) {
    self.input = input
    self.target = target
    view = nil
  }

  /// Creates a question about an account.
  public init(_ did: DID) { self.init(input: nil, target: .did(did)) }

  /// Creates a question about an account from a listing.
  public init(_ view: AccountView) {
    input = nil
    target = .did(view.account)
    self.view = view
  }

  /// Creates a question about a handle or a DID.
  public init(_ identifier: ATIdentifier) {
    switch identifier {
    case .did(let did): self.init(did)
    case .handle(let handle): self.init(input: handle.description, target: .handle(handle))
    }
  }

  /// Creates a question about what a person typed or pasted; see `ActorInput`.
  ///
  /// - Parameter place: the place of the text as `FILE:LINE`, for the error; evaluated only if the text is
  ///   invalid.
  public init(typed text: String, at place: @autoclosure () -> String? = nil) {
    if let did = DID(plc: text) {
      self.init(did)
      return
    }
    do throws(InputError) {
      switch try ActorInput(parsing: text).identifier {
      case .did(let did): self.init(input: text, target: .did(did))
      case .handle(let handle): self.init(input: text, target: .handle(handle))
      }
    } catch {
      let error = InputError(text: error.text, reason: error.reason, place: place())
      self.init(input: text, target: .unreadable(error))
    }
  }
}
