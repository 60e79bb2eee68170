// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// The inputs that a signer must reject, or sign without changing them.
enum HostileInputs {
  /// Returns copies of a request, each of which has one defect or looks like an attack.
  static func requests(from request: HTTPRequest) -> [(name: String, request: HTTPRequest)] {
    let paths: [(String, String?)] = [
      ("without a path", nil), ("with an empty path", ""), ("with a path without a slash", "cat.jpg"),
      ("with a space in the path", "/a b"), ("with a line break in the path", "/a\r\nX-Injected: b"),
      ("with a NUL in the path", "/a\0"), ("with half an escape", "/%4"), ("with an invalid escape", "/%zz"),
      ("with a non-ASCII character in the path", "/caf\u{e9}"), ("with a fragment", "/a#b"),
      ("with an escape that is not UTF-8", "/%ff%fe"),
      ("with a very long path", "/" + String(repeating: "a", count: 70_000)),
      ("with a very long query", "/a?prefix=" + String(repeating: "%20", count: 20_000)),
      ("with two question marks", "/a?b?c"), ("with empty parameters", "/a?&&=&"),
    ]
    let hosts: [(String, String?)] = [
      ("without a host", nil), ("with an empty host", ""), ("with a space in the host", "a b.example.com"),
      ("with a line break in the host", "a\r\nb"), ("with a user in the host", "user:password@example.com"),
    ]
    let names = ["Content-Type", "Date", "Authorization", "Range"]
    return paths.map { name, path in
      var copy = request
      copy.path = path
      return (name, copy)
    }
      + hosts.map { name, host in
        var copy = request
        copy.authority = host
        return (name, copy)
      }
      + names.compactMap { HTTPField.Name($0) }.map { name in
        var copy = request
        copy.headerFields.append(HTTPField(name: name, value: "a"))
        copy.headerFields.append(HTTPField(name: name, value: "b"))
        return ("with \(name) twice", copy)
      }
  }
}

extension AccessKey {
  /// The access keys that cannot sign a request, with names that describe their defects.
  ///
  /// The defects are an empty ID, line breaks, and leading or trailing spaces.
  public static let unusable: [(name: String, key: AccessKey)] = {
    let secret = "hostile0secret"
    return [
      ("an empty id", AccessKey(id: "", secret: secret)),
      ("an empty secret", AccessKey(id: "AKIDexample", secret: "")),
      ("an id with a line break", AccessKey(id: "AKID\r\nX-Injected: a", secret: secret)),
      ("an id with a space at its end", AccessKey(id: "AKIDexample ", secret: secret)),
      ("an id with a non-ASCII character", AccessKey(id: "AKID\u{e9}", secret: secret)),
      ("a secret with a line break at its end", AccessKey(id: "AKIDexample", secret: secret + "\n")),
      ("a token with a line break", AccessKey(id: "AKIDexample", secret: secret, sessionToken: "a\r\nX-Injected: b")),
      ("a token with a NUL", AccessKey(id: "AKIDexample", secret: secret, sessionToken: "a\0b")),
    ]
  }()
}
