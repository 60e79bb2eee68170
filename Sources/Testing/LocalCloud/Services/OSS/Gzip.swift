// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth

/// The format in which OSS sends objects to readers that accept it.
enum Gzip {
  /// Returns bytes in the gzip format, or `nil` if there is no memory for it.
  static func compressed(_ bytes: [UInt8]) -> [UInt8]? { Zlib.gzip(bytes) }
}
