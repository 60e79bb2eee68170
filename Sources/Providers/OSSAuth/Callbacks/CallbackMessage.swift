// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The message that OSS signs for a callback.
package enum CallbackMessage {
  /// Returns the bytes that a callback's signature covers: the decoded path, the query, a line feed and the body.
  ///
  /// The parts have no separators of their own. A path whose decoded form contains a question mark or a control
  /// character would make the same bytes as another request, so the result is `nil` for such a path, and for a path
  /// with an invalid escape.
  ///
  /// - Parameters:
  ///   - target: The path and the query as the request line contains them.
  ///   - body: The body of the request.
  package static func bytes(target: String, body: [UInt8]) -> [UInt8]? {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    let query = target.utf8[path.endIndex...]
    guard path.first == UInt8(ascii: "/"), query.allSatisfy({ $0 > UInt8(ascii: " ") && $0 != 0x7f }),
      var bytes = String(Substring(path)).percentDecodedBytes(),
      bytes.allSatisfy({ $0 >= UInt8(ascii: " ") && $0 != 0x7f && $0 != UInt8(ascii: "?") })
    else { return nil }
    bytes += query
    bytes.append(UInt8(ascii: "\n"))
    return bytes + body
  }
}
