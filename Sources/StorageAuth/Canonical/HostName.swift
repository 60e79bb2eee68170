internal import StorageCrypto

/// A host, with or without a port, read byte by byte: it is looked at for every signature.
enum HostName {
  /// Where the host ends and the port begins.
  static func end(of authority: Span<UInt8>) -> Int {
    if authority.count > 0, authority[0] == UInt8(ascii: "[") {
      for index in authority.indices where authority[index] == UInt8(ascii: "]") { return index + 1 }
      return authority.count
    }
    for index in authority.indices where authority[index] == UInt8(ascii: ":") { return index }
    return authority.count
  }

  /// Whether a host is an IP address or `localhost`.
  static func isAddressOrLocalhost(_ authority: Span<UInt8>) -> Bool {
    guard authority.count > 0 else { return false }
    if authority[0] == UInt8(ascii: "[") { return true }
    let host = authority.extracting(0..<end(of: authority))
    if host.count == 9, equalsIgnoringCase(host, "localhost") { return true }
    var dots = 0
    for index in host.indices {
      if host[index] == UInt8(ascii: ".") {
        dots += 1
      } else if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(host[index]) {
        return false
      }
    }
    return dots == 3
  }

  /// Whether a text without a port is made of what hosts are made of.
  static func isWellFormed(_ host: Span<UInt8>) -> Bool {
    guard host.count > 0 else { return false }
    let isIPv6 = host[0] == UInt8(ascii: "[")
    if isIPv6, host.count < 4 || host[host.count - 1] != UInt8(ascii: "]") { return false }
    for index in host.indices where !isIPv6 || index > 0 && index < host.count - 1 {
      switch host[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
        continue
      case UInt8(ascii: "-"), UInt8(ascii: "_"): if isIPv6 { return false }
      case UInt8(ascii: ":"): if !isIPv6 { return false }
      default: return false
      }
    }
    return true
  }

  /// Whether a text is nothing, or a colon and the number of a port.
  static func isPort(_ text: Span<UInt8>) -> Bool {
    guard text.count > 0 else { return true }
    guard text[0] == UInt8(ascii: ":"), (2...6).contains(text.count) else { return false }
    var port = 0
    for index in 1..<text.count {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) else { return false }
      port = port * 10 + Int(text[index] - UInt8(ascii: "0"))
    }
    return (1...65_535).contains(port)
  }

  /// Returns whether a text is another one, which is in lower case.
  static func equalsIgnoringCase(_ text: Span<UInt8>, _ lowered: StaticString) -> Bool {
    guard text.count == lowered.utf8CodeUnitCount else { return false }
    return lowered.withUTF8Buffer { lowered in
      for index in text.indices where unsafe asciiLowercased(text[index]) != lowered[index] { return false }
      return true
    }
  }
}

/// Whether a text is a host name, an IPv4 address or an IPv6 address in brackets, with or without a port.
package func isHost(_ text: String) -> Bool {
  withBytes(of: text) { bytes in
    let end = HostName.end(of: bytes)
    return HostName.isWellFormed(bytes.extracting(0..<end)) && HostName.isPort(bytes.extracting(end...))
  }
}

/// A host without its port, in a Host header or an authority.
package func hostWithoutPort(_ authority: String) -> String {
  withBytes(of: authority) { bytes in
    let end = HostName.end(of: bytes)
    return end == bytes.count ? authority : String(writing: { $0.append(bytes.extracting(0..<end)) })
  }
}

/// Whether a host is an IP address or `localhost`: it has no room for a bucket.
package func isAddressOrLocalhost(_ authority: String) -> Bool {
  withBytes(of: authority) { HostName.isAddressOrLocalhost($0) }
}

/// Whether a host can only be this machine: `localhost`, a name below it, 127.0.0.0/8 or `[::1]`.
package func isLoopbackHost(_ authority: String) -> Bool {
  let host = hostWithoutPort(authority).asciiLowercased
  if host == "localhost" || host.hasByteSuffix(".localhost") || host == "[::1]" { return true }
  return host.hasBytePrefix("127.") && isAddressOrLocalhost(host)
}
