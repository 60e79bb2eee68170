// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth

/// A location on the command line: an object in a bucket, a path on an Aspera server, or a file on this machine.
enum Location: Hashable {
  /// An object in a bucket, such as `oss://bucket/key`.
  ///
  /// The key is not percent-encoded. It may be empty or a prefix.
  case object(CloudName, bucket: String, key: String)
  /// A file on an Aspera node, which is accessed through the Node API: `aspera://host/key`.
  case node(ServerAddress, key: String)
  /// A file on an Aspera server, which is accessed only with an account: `aspera://user@host/path`.
  case account(ServerAddress, path: String)
  /// A file or a directory on this machine, as the user wrote it: a slash at its end says that it is a directory.
  case file(String)
  /// Standard input or standard output, `-`.
  case standardStream

  /// Parses an argument, which errors never contain, because it may contain a password.
  init(_ argument: String) throws {
    guard let separator = argument.firstRange(of: "://") else {
      guard !argument.isEmpty else { throw ValidationError("The location is empty; name a file or an object.") }
      self = argument == "-" ? .standardStream : .file(argument)
      return
    }
    let scheme = String(argument[..<separator.lowerBound])
    let parts = argument[separator.upperBound...].parts(between: "/", atMost: 1).map(String.init)
    let container = parts.first ?? ""
    let key = parts.count > 1 ? parts[1] : ""
    if scheme == "aspera" {
      guard let server = ServerAddress(container) else {
        throw ValidationError("Use aspera://host/key or aspera://user@host:port/path, without a password.")
      }
      self = server.user == nil ? .node(server, key: key) : .account(server, path: key)
    } else {
      guard let cloud = CloudName(argument: scheme) else {
        let forms = CloudName.known.map { "\($0)://bucket/key" }.joined(separator: ", ")
        throw ValidationError("Locations have the form \(forms) or aspera://host/key.")
      }
      guard !container.isEmpty else { throw ValidationError("There is no bucket in it; use \(scheme)://bucket/key.") }
      self = .object(cloud, bucket: container, key: key)
    }
  }

  /// The location's key in its bucket or on its node, or the location's path on its server or on this machine.
  var key: String {
    switch self {
    case .object(_, _, let key), .node(_, let key), .account(_, let key), .file(let key): key
    case .standardStream: "-"
    }
  }

  /// The start of the keys below the location, which is read as a folder: its key, ending in a slash unless it is empty.
  ///
  /// All commands for more than one object read a location this way.
  var folderPrefix: String { key.isEmpty || key.hasByteSuffix("/") ? key : "\(key)/" }

  /// The bucket, node or server that contains this location, with an empty key; a file on this machine is its own.
  var container: Location {
    switch self {
    case .object(let cloud, let bucket, _): .object(cloud, bucket: bucket, key: "")
    case .node(let server, _): .node(server, key: "")
    case .account(let server, _): .account(server, path: "")
    case .file, .standardStream: self
    }
  }

  /// Whether a copy to this location keeps the source's last path component as its name.
  var isFolder: Bool {
    if case .file(let path) = self { return path.hasByteSuffix("/") || LocalFiles.isDirectory(path) }
    return key.isEmpty || key.hasByteSuffix("/")
  }

  var isAspera: Bool {
    switch self {
    case .node, .account: true
    case .object, .file, .standardStream: false
    }
  }

  var isFile: Bool {
    if case .file = self { true } else { false }
  }

  /// The cloud of an object, or `nil`.
  var cloud: CloudName? {
    if case .object(let cloud, _, _) = self { cloud } else { nil }
  }

  var isAccount: Bool {
    if case .account = self { true } else { false }
  }

  /// The last component of the key or the path, or an empty string.
  var lastName: String { key.words(between: "/").last.map(String.init) ?? "" }

  /// Returns the key to which a source is copied: this key, with the source's last component if it is empty or ends with a
  /// slash.
  func key(naming source: String) -> String {
    guard key.isEmpty || key.hasByteSuffix("/") else { return key }
    return key + (source.words(between: "/").last ?? "")
  }
}

/// A server's address on the command line: `host`, `host:port` or `[::1]:port`, optionally preceded by `user@`.
struct ServerAddress: Hashable, ExpressibleByArgument {
  let user: String?
  let host: String
  let port: Int?

  /// Parses a server's address, or returns `nil` if the address is malformed or contains a password.
  init?(_ text: some StringProtocol) {
    let text = Substring(text)
    let at = text.utf8.lastIndex(of: UInt8(ascii: "@"))
    user = at.map { String(text[..<$0]) }
    let authority = at.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    let portPart: Substring
    if authority.beginsWithByte("["), let end = authority.utf8.firstIndex(of: UInt8(ascii: "]")) {
      host = String(authority[authority.utf8.index(after: authority.startIndex)..<end])
      portPart = authority[authority.utf8.index(after: end)...]
    } else {
      host = String(authority.bytes(before: ":"))
      portPart = authority.bytes(from: ":")
    }
    if portPart.isEmpty {
      port = nil
    } else {
      guard let number = portPart.removingBytePrefix(":").flatMap({ Int(digits: $0) }), (1...65_535).contains(number)
      else {
        return nil
      }
      port = number
    }
    // A password must not be on a command line, where other users can read it.
    guard !host.isEmpty, user?.isEmpty != true, user?.hasByte(":") != true else { return nil }
  }

  init?(argument: String) { self.init(argument) }

  /// Returns the server's host and port as they appear in a URL.
  func authority(defaultPort: Int) -> String {
    "\(host.hasByte(":") ? "[\(host)]" : host):\(port ?? defaultPort)"
  }
}
