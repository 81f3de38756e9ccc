// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithInsights

/// One number of the statistics.
public struct FigureRow: OperationRow {
  public let actor: DID
  public let figure: Figure

  /// Fields: actor, metric, key (what is counted), from and to (times; null for no limit), value, low and high (an
  /// interval of 95 %), sample (its size; null if everything was counted), unit, did and handle (of an account that
  /// the number is about), note, after and before (the snapshots between which the change was, if known).
  public static let fieldNames = [
    "actor", "metric", "key", "from", "to", "value", "low", "high", "sample", "unit", "did", "handle", "note",
    "after", "before",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(actor)
    fields.text(figure.metric.rawValue)
    fields.text(figure.key)
    fields.text(figure.from.map { Datetime(at: $0).description })
    fields.text(figure.to.map { Datetime(at: $0).description })
    fields.number(digits: Self.digits(figure.value))
    fields.number(digits: Self.digits(figure.low))
    fields.number(digits: Self.digits(figure.high))
    fields.number(figure.sampleSize)
    fields.text(figure.unit.rawValue)
    fields.text(figure.account?.did)
    fields.text(figure.account?.handle)
    fields.text(figure.note)
    fields.text(figure.after.map { Datetime(at: $0).description })
    fields.text(figure.before.map { Datetime(at: $0).description })
  }

  /// Whole numbers without a decimal point; nil for infinity, which JSON lacks.
  private static func digits(_ value: Double?) -> String? {
    value.flatMap { value in
      value.isFinite ? Int64(exactly: value).map(String.init) ?? "\(value)" : nil
    }
  }
}
