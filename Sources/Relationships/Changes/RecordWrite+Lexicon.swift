// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

extension Com.Atproto.Repo.ApplyWrites.Input.WritesElement {
  /// A write as it travels.
  init(_ write: RecordWrite) {
    typealias Method = Com.Atproto.Repo.ApplyWrites
    switch write.action {
    case .create(let value):
      self = .create(Method.Create(collection: write.collection, rkey: write.rkey, value: value))
    case .update(let value, former: _):
      self = .update(Method.Update(collection: write.collection, rkey: write.rkey, value: value))
    case .delete:
      self = .delete(Method.Delete(collection: write.collection, rkey: write.rkey))
    }
  }
}

extension RecordWrite {
  /// Whether a record with a value of ours is there afterwards, which tells of a commit that it has happened.
  var makesRecord: Bool {
    switch action {
    case .create, .update: true
    case .delete: false
    }
  }
}
