/// A server on the command line: `host`, `host:port`, `[::1]:port`, with a user before it or without.
struct ServerAddress: Hashable {
  let user: String?
  let host: String
  let port: Int?

  /// Reads an address; nothing for one that is none.
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
    // A password does not belong on a command line.
    guard !host.isEmpty, user?.isEmpty != true, user?.contains(":") != true else { return nil }
  }

  /// The host as a URL has it, with the port.
  func authority(defaultPort: Int) -> String {
    "\(host.contains(":") ? "[\(host)]" : host):\(port ?? defaultPort)"
  }
}
