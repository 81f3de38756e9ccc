// SPDX-License-Identifier: Apache-2.0

/// Since when each stage of a ``QuestionWindow`` gathers, and which have done so for long enough: pure state.
///
/// Each stage has a moment of its own, so that a busy one does not hide that another waits. Where a batch leaves
/// something behind, that came after the batch before it, for batches take the oldest: so whatever sends off
/// full batches often enough is never told to send smaller ones.
struct Linger {
  typealias Stages = QuestionWindow.Stages

  private struct Moment {
    /// Nothing of the stage has waited for longer.
    var since: Duration
    /// When the last batch left that left something behind.
    var lastBatch: Duration?
  }

  private let limit: Duration
  private var moments: [Stages: Moment] = [:]
  /// Stages whose batches go as they are: what has lingered in one does not linger again in the next.
  private(set) var overdue: Stages = []

  /// - Parameter limit: how long a stage may gather; zero for as long as it takes.
  init(atMost limit: Duration) { self.limit = limit }

  /// When the next stage will have gathered for long enough.
  var end: Duration? {
    limit > .zero
      ? moments.filter { !overdue.contains($0.key) }.map(\.value.since).min().map { $0 + limit } : nil
  }

  /// Something waits in these stages.
  mutating func gather(_ stages: Stages, at now: @autoclosure () -> Duration) {
    if limit <= .zero { return }
    for stage in Stages.each where stages.contains(stage) && moments[stage] == nil {
      moments[stage] = Moment(since: now())
    }
  }

  /// A batch of a stage has left.
  ///
  /// - Parameter isEmpty: whether nothing of the stage waits any more.
  mutating func left(_ stage: Stages, isEmpty: Bool, at now: @autoclosure () -> Duration) {
    if overdue.contains(stage) { overdue.formUnion(stage.next) }
    if isEmpty {
      overdue.subtract(stage)
      moments[stage] = nil
    } else if let moment = moments[stage] {
      moments[stage] = Moment(since: max(moment.since, moment.lastBatch ?? moment.since), lastBatch: now())
    }
  }

  /// Some time has passed.
  ///
  /// - Parameter isBusy: nothing could leave anyway. What waits for that may be part of a full batch by then, and
  ///   begins to gather anew.
  mutating func pass(to now: Duration, isBusy: Bool) {
    for (stage, moment) in moments where now - moment.since >= limit {
      if isBusy { moments[stage] = Moment(since: now) } else { overdue.formUnion(stage) }
    }
  }
}

extension QuestionWindow {
  /// The stages that a question may go through, each of which gathers batches of its own.
  struct Stages: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let resolve = Stages(rawValue: 1)
    static let lookUp = Stages(rawValue: 2)
    static let ask = Stages(rawValue: 4)
    static let verify = Stages(rawValue: 8)

    static let each: [Stages] = [.resolve, .lookUp, .ask, .verify]

    /// Where questions go from one stage.
    var next: Stages {
      switch self {
      case .resolve: .lookUp
      case .lookUp: [.ask, .verify]
      default: []
      }
    }
  }
}

extension QuestionWindow.Work {
  /// The stage that it is the work of.
  var stage: QuestionWindow.Stages {
    switch self {
    case .resolve: .resolve
    case .lookUp: .lookUp
    case .ask: .ask
    case .verify: .verify
    }
  }
}
