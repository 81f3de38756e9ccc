// SPDX-License-Identifier: Apache-2.0

internal import GRDB
public import KithCore

/// Why the store could not read or write. Data written earlier is not lost.
public struct StoreError: CodedError {
  public static let domain = "store"

  /// The kind of failure.
  public let code: Code
  /// The file or folder.
  public let path: String
  /// What happened, as a phrase.
  public let detail: String
  /// The underlying error, of SQLite or the system.
  public let underlying: (any Error)?

  init(_ code: Code, path: String, _ detail: String, underlying: (any Error)? = nil) {
    self.code = code
    self.path = path
    self.detail = detail
    self.underlying = underlying
  }

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case unusable, unsafe, locked, full, corrupt, newer, failed
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it appears in machine-readable output.
    public var description: String { kind.rawValue }

    /// The file cannot be opened, read or written.
    public static let unusable = Code(.unusable)
    /// Other users can read, change or replace the file; the underlying error says what is wrong with its
    /// path.
    public static let unsafe = Code(.unsafe)
    /// Another process has had the file locked for too long.
    public static let locked = Code(.locked)
    /// The disk is full.
    public static let full = Code(.full)
    /// The file is not a store, or is damaged.
    public static let corrupt = Code(.corrupt)
    /// A newer version of the program wrote the file.
    public static let newer = Code(.newer)
    /// Any other error of SQLite.
    public static let failed = Code(.failed)
  }

  /// The file or folder.
  public var subject: String { path }

  /// Whether another process has the file locked.
  public var isTransient: Bool { code == .locked }

  public var errorDescription: String? {
    switch code {
    case .unsafe: "Other users can read or change the stored data."
    case .locked: "Another process is using the stored data; try again later."
    case .full: "The disk is full."
    case .corrupt: "The stored data is damaged."
    case .newer: "A newer program wrote the stored data."
    default: "The stored data could not be read or written."
    }
  }
}

extension StoreError {
  /// Creates an error for a file or folder of the store or of a copy that is rejected, or that the system refuses.
  package init(_ error: SecureFolderError) {
    let code: Code = error.isUnsafe ? .unsafe : error.isDiskFull ? .full : .unusable
    self.init(code, path: error.path, error.detail, underlying: error)
  }

  /// Converts an error of SQLite, with the remedy.
  init(_ error: DatabaseError, path: String) {
    let (code, detail): (Code, String) =
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
        (.locked, "another process has the store locked; try again later")
      case .SQLITE_FULL:
        (.full, "the disk is full")
      case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        (
          .corrupt,
          "the file is not a valid store, or damaged; move it away with its -wal and -shm files, then restore a copy"
        )
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH:
        (.unusable, "the store cannot be opened for writing; check the owner of the file and its folder")
      case .SQLITE_IOERR where Self.ofFullDisks.contains(error.extendedResultCode):
        (.unusable, "the disk is full, or writing failed (\(error.extendedResultCode.rawValue))")
      case .SQLITE_IOERR:
        (.unusable, "the disk failed (\(error.extendedResultCode.rawValue))")
      default:
        (.failed, "the store failed: \(error.message ?? "error \(error.resultCode.rawValue)")")
      }
    self.init(code, path: path, detail, underlying: error)
  }

  /// SQLite's codes when the system refuses to write, which do not say whether the disk is full.
  private static let ofFullDisks: [ResultCode] = [
    .SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC, .SQLITE_IOERR_TRUNCATE,
    .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_CLOSE,
  ]
}
