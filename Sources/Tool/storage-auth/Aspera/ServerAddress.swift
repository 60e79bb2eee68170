// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth

/// A server's address on the command line: `host`, `host:port` or `[::1]:port`, optionally preceded by `user@`.
struct ServerAddress: Hashable {
  let user: String?
  let host: String
  let port: Int?

  /// Parses a server's address, or returns `nil` if the address is malformed or contains a password.
  init?(_ text: some StringProtocol) {
    let text = Substring(text)
    let at = text.utf8.lastIndex(of: UInt8(ascii: "@"))
    user = at.map { String(text[..<$0]) }
    var rest = at.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    if rest.beginsWithByte("["), let end = rest.utf8.firstIndex(of: UInt8(ascii: "]")) {
      host = String(rest[rest.utf8.index(after: rest.startIndex)..<end])
      rest = rest[rest.utf8.index(after: end)...]
    } else {
      host = String(rest.bytes(before: ":"))
      rest = rest.bytes(from: ":")
    }
    if rest.isEmpty {
      port = nil
    } else {
      guard let number = rest.removingBytePrefix(":").flatMap({ Int(digits: $0) }), (1...65_535).contains(number) else {
        return nil
      }
      port = number
    }
    // A password must not be on a command line, where other users can read it.
    guard !host.isEmpty, user?.isEmpty != true, user?.hasByte(":") != true else { return nil }
  }

  /// Returns the server's host and port as they appear in a URL.
  func authority(defaultPort: Int) -> String {
    "\(host.hasByte(":") ? "[\(host)]" : host):\(port ?? defaultPort)"
  }
}

extension ServerAddress: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
}
