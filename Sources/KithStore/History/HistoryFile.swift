// SPDX-License-Identifier: Apache-2.0

public import KithHistory

/// The file of a history.
public enum HistoryFile {
  /// Opens the history in a folder, which is created if it is missing; only its owner can read it.
  ///
  /// It survives crashes, and any number of processes may share it, `kith` among them.
  /// - Throws: ``StoreError``.
  public static func open(in folder: String) throws(StoreError) -> any HistoryStore {
    SQLiteHistoryStore(try StoreDatabase(folder: folder, .history))
  }
}
