// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Functions that inspect files on this machine.
enum LocalFiles {
  /// Returns whether a path leads to a directory, without following a symbolic link.
  static func isDirectory(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType) == .typeDirectory
  }

  /// Returns the size of a file in bytes, or `nil` if the size cannot be determined.
  static func byteCount(_ path: String) -> Int64? {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value
  }
}
