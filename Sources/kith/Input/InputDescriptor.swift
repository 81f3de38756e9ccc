// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KithCore
import KithOperations

/// Reads a file or standard input in pieces, without blocking a thread of Swift's pool.
final class InputDescriptor: ByteSource {
  /// The display name: the path, or `stdin`.
  let name: String
  /// Whether it is standard input.
  let isStdin: Bool
  var isSlow: Bool { isStdin }
  var isTyped: Bool { isatty(descriptor) == 1 }
  private let descriptor: Int32
  /// Whether a read may return end-of-file before any writer has opened the pipe.
  private let isNamedPipe: Bool
  private let queue: DispatchQueue

  /// Opens a file; `-` is standard input. The writer of a named pipe (FIFO) may open it later.
  ///
  /// - Parameter stdin: the descriptor of standard input, which stays open.
  /// - Throws: ``CommandFault`` with the path and the system's reason.
  init(path: String, stdin: Int32 = STDIN_FILENO) throws(CommandFault) {
    queue = DispatchQueue(label: "kith.input")
    isStdin = path == "-"
    if isStdin {
      name = "stdin"
      descriptor = stdin
      isNamedPipe = false
      return
    }
    name = path
    // Without O_NONBLOCK, opening a FIFO would block this thread, and Ctrl-C, until a writer opens it;
    // ``next()`` waits for the writer.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.fault(path) }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    var status = stat()
    let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    isNamedPipe = kind == S_IFIFO
    if kind == S_IFDIR {
      close(descriptor)
      throw CommandFault(.fileTrouble, .isAFolder(path))
    }
  }

  /// The same file from its start, whatever its path leads to by now; nil if it is not a regular file, which cannot be
  /// read twice.
  var copy: (any ByteSource)? {
    var status = stat()
    guard !isStdin, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    do throws(CommandFault) { return try InputDescriptor(path: "/dev/fd/\(descriptor)") } catch { return nil }
  }

  deinit { if !isStdin { close(descriptor) } }

  /// The next piece, up to 64 KB; empty at the end.
  ///
  /// - Throws: ``CommandFault`` if reading fails; `CancellationError` immediately when the task is cancelled,
  ///   even if the read blocks.
  func next() async throws -> [UInt8] {
    let piece = FirstOutcome<[UInt8]>()
    queue.async { [self] in piece.settle(Result { try readPiece() }) }
    return try await piece.value()
  }

  /// Reads everything without the final line break, or about as much as the limit.
  ///
  /// - Throws: as ``next()``.
  func readText(limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while case let piece = try await next(), !piece.isEmpty, bytes.count < limit { bytes += piece }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    return bytes
  }

  private func readPiece() throws(CommandFault) -> [UInt8] {
    if isNamedPipe { DescriptorReadiness.input.wait(on: descriptor) }
    while true {
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, filled in
        count = read(descriptor, buffer.baseAddress, buffer.count)
        filled = max(0, count)
      }
      if count >= 0 { return piece }
      switch errno {
      case EINTR: continue
      case EAGAIN: DescriptorReadiness.input.wait(on: descriptor)
      default: throw Self.fault(name)
      }
    }
  }

  private static func fault(_ name: String) -> CommandFault {
    CommandFault(.fileTrouble, .systemError(name, String(cString: strerror(errno))))
  }
}

extension RunContext {
  /// Opens a file that the user names; `-` is stdin.
  ///
  /// - Throws: ``CommandFault`` with the path and the system's reason.
  func file(_ path: String) throws(CommandFault) -> InputDescriptor {
    try InputDescriptor(path: path, stdin: input)
  }
}
