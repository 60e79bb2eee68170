// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth

/// A location on the command line: an object in a bucket, a path on an Aspera server, or a file on this machine.
enum Location: Hashable {
  /// `oss://bucket/key`, with a key that is not percent-encoded, and that may be empty or a prefix.
  case object(CloudName, bucket: String, key: String)
  /// A file on an Aspera node, through the Node API: `aspera://host/key`.
  case node(ServerAddress, key: String)
  /// A file on an Aspera server, with only an account: `aspera://user@host/path`.
  case account(ServerAddress, path: String)
  /// A file on this machine, or a directory if the path ends with a slash.
  case file(String)
  /// `-`: standard input or standard output.
  case standardStream

  /// Parses an argument, which errors never contain, because it may contain a password.
  init(_ argument: String) throws {
    guard let separator = argument.firstRange(of: "://") else {
      guard !argument.isEmpty else { throw ValidationError("The location is empty; name a file or an object.") }
      self = argument == "-" ? .standardStream : .file(argument)
      return
    }
    let scheme = String(argument[..<separator.lowerBound])
    let parts = argument[separator.upperBound...].parts(between: "/", maxSplits: 1).map(String.init)
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

  /// The key in the bucket or on the node, or the path on the server or on this machine.
  var key: String {
    switch self {
    case .object(_, _, let key), .node(_, let key), .account(_, let key), .file(let key): key
    case .standardStream: "-"
    }
  }

  /// The start of the keys below the location: its key, with a slash at the end unless it is empty.
  var folderPrefix: String { key.isEmpty || key.hasByteSuffix("/") ? key : "\(key)/" }

  /// The bucket, node or server of the location; a file is its own container.
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

  var isFile: Bool { if case .file = self { true } else { false } }
  var isAccount: Bool { if case .account = self { true } else { false } }
  var isAspera: Bool { if case .node = self { true } else { isAccount } }
  var cloud: CloudName? { if case .object(let cloud, _, _) = self { cloud } else { nil } }
  var lastName: String { key.words(between: "/").last.map(String.init) ?? "" }

  /// Returns the key of a copy: to a key that is empty or ends with a slash, the source's last component is added.
  func key(naming source: String) -> String {
    guard key.isEmpty || key.hasByteSuffix("/") else { return key }
    return key + (source.words(between: "/").last ?? "")
  }
}

/// The address of an Aspera server: `[user@]host[:port]`, with brackets around an IPv6 address.
struct ServerAddress: Hashable, ExpressibleByArgument {
  let user: String?
  let host: String
  let port: Int?

  /// Parses an address, or returns `nil` if it is malformed or contains a password.
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
    port = portPart.removingBytePrefix(":").flatMap { Int(digits: $0) }
    guard portPart.isEmpty || port.map({ (1...65_535).contains($0) }) ?? false else { return nil }
    // A password must not be on a command line, where other users can read it.
    guard !host.isEmpty, user?.isEmpty != true, user?.hasByte(":") != true else { return nil }
  }

  init?(argument: String) { self.init(argument) }
  func authority(defaultPort: Int) -> String { Self.authority(host: host, port: port ?? defaultPort) }

  /// Returns a host and a port as URLs contain them, with brackets around an IPv6 address.
  static func authority(host: String, port: Int) -> String { "\(host.hasByte(":") ? "[\(host)]" : host):\(port)" }
}
