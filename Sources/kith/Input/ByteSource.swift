// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Reads a file or standard input, piece by piece, without holding up a thread of Swift's pool.
final class ByteSource: Sendable {
  /// What a person calls it: the path, or `stdin`.
  let name: String
  /// Whether it is standard input, where somebody may sit and type.
  var isStdin: Bool { descriptor == STDIN_FILENO }
  private let descriptor: Int32
  private let queue: DispatchQueue

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: ``CommandFault`` with the path and the system's reason.
  init(path: String) throws(CommandFault) {
    queue = DispatchQueue(label: "kith.input")
    if path == "-" {
      name = "stdin"
      descriptor = STDIN_FILENO
      return
    }
    name = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.fault(path) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      close(descriptor)
      throw CommandFault(.fileTrouble, "\(path): it is a folder; name a file")
    }
  }

  /// The same file, from its start; nil where that is no file on a disk and could not be read twice.
  var copy: ByteSource? {
    var status = stat()
    guard !isStdin, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    do throws(CommandFault) { return try ByteSource(path: name) } catch { return nil }
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// The next piece, up to 64 KB; empty at the end.
  ///
  /// - Throws: ``CommandFault`` when reading fails; `CancellationError` at once when the task is cancelled,
  ///   though nobody types anything.
  func next() async throws -> [UInt8] {
    let reading = Reading()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        reading.began(continuation)
        queue.async { [self] in reading.ended(with: Result { try readPiece() }) }
      }
    } onCancel: {
      reading.ended(with: .failure(CancellationError()))
    }
  }

  private func readPiece() throws(CommandFault) -> [UInt8] {
    while true {
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, filled in
        count = read(descriptor, buffer.baseAddress, buffer.count)
        filled = max(0, count)
      }
      if count >= 0 { return piece }
      if errno != EINTR { throw Self.fault(name) }
    }
  }

  private static func fault(_ name: String) -> CommandFault {
    CommandFault(.fileTrouble, "\(name): \(String(cString: strerror(errno)))")
  }
}
