// SPDX-License-Identifier: Apache-2.0

public import KithWriting

extension Journal {
  /// Opens the journal in a folder, which is created if it is missing; only its owner can read it.
  ///
  /// It survives crashes, and any number of processes may share it, `kith` among them.
  /// - Throws: ``StoreError``.
  public static func file(in folder: String) throws(StoreError) -> Journal {
    Journal(SQLiteJobStore(try StoreDatabase(folder: folder)))
  }
}
