/// The names of this machine in a Host header.
///
/// A server on loopback that answers to any name can be read by any web page: the page's own name is made to point to
/// 127.0.0.1 once it is loaded (DNS rebinding), and for the browser the server is then of the page's origin. The Host
/// header still has the page's name.
package enum LoopbackHost {
  /// Whether an authority names the loopback interface, with or without a port.
  ///
  /// Taken are `localhost` and names below it (RFC 6761, section 6.3: they always are this machine), `127.0.0.0/8` and
  /// `::1`, in any case and with or without a dot at the end. Numbers in another notation than four decimal ones are not.
  ///
  /// - Parameter authority: The Host header; `nil` if there is none, which names nothing.
  package static func isNamed(by authority: String?) -> Bool {
    guard let authority, let host = host(of: authority) else { return false }
    if let address = NetworkAddress(host) {
      return address.bytes.count == 4 ? address.bytes[0] == 127 : address.bytes == loopback
    }
    let labels = host.asciiLowercased.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.last.map { $0.elementsEqual("localhost".utf8) } ?? false && labels.allSatisfy { !$0.isEmpty }
  }

  private static let loopback: [UInt8] = Array(repeating: 0, count: 15) + [1]

  /// The host without port, brackets and the dot at its end; `nil` for what is no authority, or one with a user.
  private static func host(of authority: String) -> String? {
    let bytes = authority.utf8
    guard bytes.allSatisfy({ isLetterOrDigit($0) || ".-:[]".utf8.contains($0) }) else { return nil }
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let address = authority[authority.index(after: authority.startIndex)..<end]
      return address.utf8.contains(UInt8(ascii: ":")) && isPort(bytes[bytes.index(after: end)...])
        ? String(address) : nil
    }
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    guard isPort(bytes[end...]) else { return nil }
    let host = authority[..<end]
    return String(host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host)
  }

  /// Whether what follows the host is nothing, or a colon and digits.
  private static func isPort(_ rest: Substring.UTF8View) -> Bool {
    guard let first = rest.first else { return true }
    let digits = rest.dropFirst()
    return first == UInt8(ascii: ":") && (1...5).contains(digits.count)
      && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
