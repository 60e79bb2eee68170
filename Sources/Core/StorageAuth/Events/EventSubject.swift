// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The parts of an event's subject, such as `upload oss://photos/2026/cat.jpg`.
package struct EventSubject: Sendable, Hashable {
  /// The name of the operation, such as `upload` or `GET`.
  package let operation: String
  /// The scheme of the location, such as `oss`, or `nil` if the subject has no location.
  package let provider: String?
  /// The bucket or the host, or `nil` if the subject has no location.
  package let container: String?
  /// The key of the object, or `nil` if the subject has none.
  package let key: String?

  package init(_ subject: String) {
    let text = subject.utf8
    let space = text.firstIndex(of: UInt8(ascii: " ")) ?? text.endIndex
    operation = String(subject[..<space])
    let location = subject[space...].dropFirst()
    guard let colon = location.utf8.firstIndex(of: UInt8(ascii: ":")), location[colon...].utf8.starts(with: "://".utf8)
    else {
      (provider, container, key) = (nil, nil, nil)
      return
    }
    provider = String(location[..<colon])
    let path = location[colon...].dropFirst(3)
    let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
    container = String(path[..<slash])
    let name = path[slash...].dropFirst()
    key = name.isEmpty ? nil : String(name)
  }
}
