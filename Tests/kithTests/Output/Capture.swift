// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import kith

/// Captures output in a pipe; the output must fit into the pipe's buffer.
final class Capture {
  let descriptor: OutputDescriptor
  private let reader: FileHandle
  private let writer: FileHandle

  init() {
    let pipe = Pipe()
    (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    descriptor = OutputDescriptor(number: writer.fileDescriptor, name: "capture")
  }

  /// Returns everything that was written; ends the capture.
  func text() throws -> String {
    try writer.close()
    return String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self)
  }
}
