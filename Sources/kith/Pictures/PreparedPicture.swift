// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithPosts

/// A file with a picture, prepared for publishing.
struct PreparedPicture {
  /// The file.
  let path: String
  /// The picture without metadata.
  let picture: Picture
  /// Why it was converted; nil if its pixels are those of the file.
  let conversion: String?
  /// How many pictures the file is; of an animation the first is shown.
  let frames: Int

  init(path: String, picture: Picture, conversion: String?, frames: Int? = nil) {
    (self.path, self.picture, self.conversion) = (path, picture, conversion)
    self.frames = frames ?? picture.frames
  }

  /// Files are read up to this size; no camera makes larger ones.
  private static let mostBytes = 100 << 20

  /// Reads a file, removes its metadata, and converts it if it has to be.
  ///
  /// - Parameters:
  ///   - most: the most bytes of the result.
  ///   - kinds: the types that may be published.
  /// - Throws: ``CommandFault`` for a file that cannot be read or is not a picture, and `unavailable` if no program of this
  ///   machine can convert it; `CancellationError`.
  init(
    _ path: String, atMost most: Int, kinds: Set<Picture.Kind> = Set(Picture.Kind.allCases),
    in process: RunContext
  ) async throws {
    let file = try process.file(path)
    var bytes: [UInt8] = []
    while case let piece = try await file.next(), !piece.isEmpty {
      bytes += piece
      guard bytes.count <= Self.mostBytes else {
        throw CommandFault(.badInput, .unusablePicture(path, "it is larger than \(Self.mostBytes >> 20) MiB"))
      }
    }
    let reason: String
    var frames: Int?
    do throws(PictureError) {
      let picture = try Picture(bytes)
      frames = picture.frames
      if !kinds.contains(picture.kind) {
        reason = "it has to be a JPEG or a PNG"
      } else if picture.bytes.count > most {
        reason = "it is larger than \(most) bytes"
      } else {
        self.init(path: path, picture: picture, conversion: nil)
        return
      }
    } catch {
      guard error.code == .otherType || error.code == .turned else { throw Self.unusable(path, error) }
      reason = error.description
    }
    let source: SourcePicture
    do throws(PictureError) { source = try SourcePicture(bytes) } catch { throw Self.unusable(path, error) }
    let converter = try PhotoConverter(
      for: bytes, of: source.kind, named: path, because: reason, in: process.environment)
    self.init(
      path: path, picture: try await converter.photo(atMost: most), conversion: reason,
      frames: frames ?? source.frames)
  }

  private static func unusable(_ path: String, _ error: PictureError) -> CommandFault {
    CommandFault(.badInput, .unusablePicture(path, error.description))
  }
}

extension PreparedPicture {
  /// What would be published of it.
  ///
  /// - Parameter alt: what it shows, empty for nothing; nil for the picture of an account.
  func preview(alt: String?) -> Message {
    .picturePreview(path, picture, conversion: conversion, frames: frames, alt: alt)
  }
}
