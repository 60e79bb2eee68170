internal import StorageCrypto

/// Where the name of the bucket stands in a URL.
public enum AddressingStyle: String, Sendable, Hashable, CaseIterable {
  /// In the host: `https://bucket.oss-cn-hangzhou.aliyuncs.com/key`.
  case virtualHosted
  /// In the path: `http://127.0.0.1:9000/bucket/key`. IP addresses and `localhost` are always addressed like this.
  case path
  /// Nowhere: the host is a domain of the user's own that stands for one bucket (CNAME): `https://img.example.com/key`.
  case customDomain
}

extension AddressingStyle {
  /// The style that a host calls for if nobody says otherwise.
  ///
  /// - Parameter authority: A host, with or without a port.
  package init(authority: String) {
    self = isAddressOrLocalhost(authority) ? .path : .virtualHosted
  }
}

/// A host without its port, in a Host header or an authority.
package func hostWithoutPort(_ authority: String) -> Substring {
  if authority.utf8.first == UInt8(ascii: "[") {
    guard let end = authority.firstIndex(of: "]") else { return authority[...] }
    return authority[...end]
  }
  guard let colon = authority.lastIndex(of: ":") else { return authority[...] }
  return authority[..<colon]
}

/// Whether a host is an IP address or `localhost`: it has no room for a bucket.
package func isAddressOrLocalhost(_ authority: String) -> Bool {
  let first = authority.utf8.first
  guard let first else { return false }
  if first == UInt8(ascii: "[") { return true }
  let host = hostWithoutPort(authority).utf8
  if host.last.map({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) == true {
    var dots = 0
    for byte in host {
      if byte == UInt8(ascii: ".") {
        dots += 1
      } else if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        return false
      }
    }
    return dots == 3
  }
  return host.count == 9 && host.elementsEqual("localhost".utf8) { asciiLowercased($0) == $1 }
}

/// Whether a host can only be this machine: `localhost`, a name below it, 127.0.0.0/8 or `[::1]`.
package func isLoopbackHost(_ authority: String) -> Bool {
  let host = hostWithoutPort(authority).lowercased()
  if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
  return host.hasPrefix("127.") && isAddressOrLocalhost(host)
}
