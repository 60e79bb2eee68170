// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// A server's address on the command line: `host`, `host:port` or `[::1]:port`, optionally preceded by `user@`.
struct ServerAddress: Hashable {
  let user: String?
  let host: String
  let port: Int?

  /// Parses a server's address, or returns `nil` if the address is malformed or contains a password.
  init?(_ text: some StringProtocol) {
    let at = text.lastIndex(of: "@")
    user = at.map { String(text[..<$0]) }
    var rest = at.map { text[text.index(after: $0)...] } ?? text[...]
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      host = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
    } else {
      host = String(rest.prefix { $0 != ":" })
      rest = rest.dropFirst(host.count)
    }
    if rest.isEmpty {
      port = nil
    } else {
      guard rest.hasPrefix(":"), let number = Int(rest.dropFirst()), (1...65_535).contains(number) else { return nil }
      port = number
    }
    // A password must not be on a command line, where other users can read it.
    guard !host.isEmpty, user?.isEmpty != true, user?.contains(":") != true else { return nil }
  }

  /// Returns the server's host and port as they appear in a URL.
  func authority(defaultPort: Int) -> String {
    "\(host.contains(":") ? "[\(host)]" : host):\(port ?? defaultPort)"
  }
}

extension ServerAddress: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
}
