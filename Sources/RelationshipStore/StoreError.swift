// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import GRDB

/// Why the store could not read or write. Nothing that was written before is lost.
public struct StoreError: CodedError {
  public static let domain = "store"

  /// The kind of failure.
  public let code: Code
  /// The file or folder that it concerns.
  public let path: String
  /// What happened, as a half-sentence.
  public let detail: String
  /// What lies underneath, in the words of SQLite or of the system.
  public let underlying: (any Error)?

  init(_ code: Code, path: String, _ detail: String, underlying: (any Error)? = nil) {
    self.code = code
    self.path = path
    self.detail = detail
    self.underlying = underlying
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case unusable, unsafe, locked, full, corrupt, newer, failed
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// It cannot be opened, read or written.
    public static let unusable = Code(.unusable)
    /// Other users can read, change or replace it; what lies underneath names what is wrong with the path.
    public static let unsafe = Code(.unsafe)
    /// Another process kept it for too long.
    public static let locked = Code(.locked)
    /// There is no room for it.
    public static let full = Code(.full)
    /// It is no store, or damaged.
    public static let corrupt = Code(.corrupt)
    /// A newer version of the program wrote it.
    public static let newer = Code(.newer)
    /// Anything else that SQLite says.
    public static let failed = Code(.failed)
  }

  /// The file or folder.
  public var subject: String { path }
}

extension StoreError {
  /// A file or folder of the store that is not used, or that the system refuses.
  init(_ error: SecureFolderError) {
    let code: Code = error.isUnsafe ? .unsafe : error.isDiskFull ? .full : .unusable
    self.init(code, path: error.path, error.detail, underlying: error)
  }

  /// Puts what SQLite says into words that name the way out.
  init(_ error: DatabaseError, path: String) {
    let (code, detail): (Code, String) =
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
        (.locked, "another process keeps the store locked; try again when it is done")
      case .SQLITE_FULL:
        (.full, "there is no room left on its disk")
      case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        (
          .corrupt,
          "this is no store of Kith, or it is damaged; move it away with its -wal and -shm files, then put a copy in its place"
        )
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH:
        (.unusable, "the store cannot be opened for writing; see who owns the file and its folder")
      case .SQLITE_IOERR where Self.ofFullDisks.contains(error.extendedResultCode):
        (.unusable, "its disk is full, or fails at writing (\(error.extendedResultCode.rawValue))")
      case .SQLITE_IOERR:
        (.unusable, "its disk fails (\(error.extendedResultCode.rawValue))")
      default:
        (.failed, "the store failed: \(error.message ?? "error \(error.resultCode.rawValue)")")
      }
    self.init(code, path: path, detail, underlying: error)
  }

  /// What SQLite says where the system refuses to write, without telling whether that is for want of room.
  private static let ofFullDisks: [ResultCode] = [
    .SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC, .SQLITE_IOERR_TRUNCATE,
    .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_CLOSE,
  ]
}
