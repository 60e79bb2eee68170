// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage

/// The files that the example uploads.
///
/// One file is small, one has a name that must be percent-encoded, and one is large enough for a multipart upload.
struct SampleFiles {
  struct File {
    let key: String
    let path: FilePath

    func hasSameBytes(as other: FilePath) throws -> Bool {
      FileManager.default.contentsEqual(atPath: path.string, andPath: other.string)
    }
  }

  let folder: FilePath
  let all: [File]

  init(largeFileByteCount: Int) throws {
    folder = FilePath(NSTemporaryDirectory()).appending("any-provider-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    let samples = [
      ("hello.txt", 13), ("2026/11/20/a b+c%2F 猫.jpg", 300_000), ("large.bin", largeFileByteCount),
    ]
    var files: [File] = []
    for (index, (key, byteCount)) in samples.enumerated() {
      let path = folder.appending("\(index)")
      try Self.write(byteCount, to: path)
      files.append(File(key: key, path: path))
    }
    all = files
  }

  /// Writes the given number of random bytes to a file, one mebibyte at a time.
  private static func write(_ byteCount: Int, to path: FilePath) throws {
    guard let random = FileHandle(forReadingAtPath: "/dev/urandom"),
      FileManager.default.createFile(atPath: path.string, contents: nil),
      let file = FileHandle(forWritingAtPath: path.string)
    else { throw ExampleError("\(path) cannot be written.") }
    defer { try? file.close() }
    var left = byteCount
    while left > 0, let bytes = try random.read(upToCount: min(left, 1 << 20)) {
      try file.write(contentsOf: bytes)
      left -= bytes.count
    }
  }

  /// Returns the size of a file in bytes.
  static func byteCount(of file: FilePath) throws -> Int64 {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.string)
    return (attributes[.size] as? NSNumber)?.int64Value ?? 0
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: folder.string)
  }
}
