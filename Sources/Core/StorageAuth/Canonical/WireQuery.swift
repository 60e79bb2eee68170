// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

/// A parser that splits a request's path and query into parts without decoding them.
package enum WireQuery {
  /// Splits a request's path, including the query, into the path and the query parameters.
  ///
  /// The result is `nil` if the string is not valid in a URL: it does not start with `/`, contains a space, a control
  /// character, a `#` or a byte that is not ASCII, or an escape is malformed.
  package static func split(_ wire: Span<UInt8>, into parameters: inout ScratchList<WireParameter>) -> WirePath? {
    guard wire.count > 0, wire.count < Int(Int32.max), wire[0] == UInt8(ascii: "/"), let path = parsePath(wire),
      let queryHoldsSeparator = parseQuery(wire, from: path.end &+ 1, into: &parameters)
    else { return nil }
    return WirePath(
      end: path.end, isDecoded: path.isDecoded, isCanonical: path.isCanonical,
      holdsSeparator: path.holdsSeparator || queryHoldsSeparator)
  }

  @inline(__always) private static func parsePath(_ wire: Span<UInt8>) -> WirePath? {
    var isDecoded = true
    var isCanonical = true
    var holdsSeparator = false
    var index = 1
    path: while true {
      index = wire.end(ofRunFrom: index, keptBy: .path)
      guard index < wire.count else { break }
      switch wire[index] {
      case UInt8(ascii: "?"): break path
      case UInt8(ascii: "%"):
        guard let decoded = decodedEscape(in: wire, at: index) else { return nil }
        if isSeparator(decoded) { holdsSeparator = true }
        index &+= 3
        isDecoded = false
      case let byte:
        guard URLByte.isAllowed(byte) else { return nil }
        index &+= 1
      }
      isCanonical = false
    }
    return WirePath(end: index, isDecoded: isDecoded, isCanonical: isCanonical, holdsSeparator: holdsSeparator)
  }

  /// Parses the query; `true` if it holds an escaped separator or a `?`, and `nil` if it is not valid in a URL.
  @inline(__always) private static func parseQuery(
    _ wire: Span<UInt8>, from queryStart: Int, into parameters: inout ScratchList<WireParameter>
  ) -> Bool? {
    var holdsSeparator = false
    var (start, index) = (queryStart, queryStart)
    var nameEnd = -1
    // The flags of the current parameter, as in `WireParameter`.
    var isCanonical = true
    var isDecoded = true
    while index < wire.count {
      index = wire.end(ofRunFrom: index, keptBy: .component)
      guard index < wire.count else { break }
      switch wire[index] {
      case UInt8(ascii: "&"):
        append(
          from: start, to: index, nameEnd: nameEnd, isCanonical: isCanonical, isDecoded: isDecoded, into: &parameters)
        start = index &+ 1
        nameEnd = -1
        isCanonical = true
        isDecoded = true
      case UInt8(ascii: "=") where nameEnd < 0: nameEnd = index
      case UInt8(ascii: "%"):
        guard let decoded = decodedEscape(in: wire, at: index) else { return nil }
        if isSeparator(decoded) { holdsSeparator = true }
        index &+= 2
        isCanonical = false
        isDecoded = false
      case UInt8(ascii: "+"):
        isCanonical = false
        isDecoded = false
      case UInt8(ascii: "?"):
        holdsSeparator = true
        isCanonical = false
      case let byte:
        guard URLByte.isAllowed(byte) else { return nil }
        isCanonical = false
      }
      index &+= 1
    }
    append(
      from: start, to: wire.count, nameEnd: nameEnd, isCanonical: isCanonical, isDecoded: isDecoded, into: &parameters)
    return holdsSeparator
  }

  /// Appends a parameter unless it is empty; a negative end of the name stands for a parameter without `=`.
  @inline(__always) private static func append(
    from start: Int, to end: Int, nameEnd: Int, isCanonical: Bool, isDecoded: Bool,
    into parameters: inout ScratchList<WireParameter>
  ) {
    guard end > start else { return }
    parameters.append(
      WireParameter(
        nameStart: start, nameEnd: nameEnd < 0 ? end : nameEnd, valueEnd: end, isCanonical: isCanonical,
        isDecoded: isDecoded))
  }

  /// Returns the byte that the escape at an index stands for, or `nil` if the escape is malformed.
  private static func decodedEscape(in wire: Span<UInt8>, at index: Int) -> UInt8? {
    guard index + 2 < wire.count, let high = hexValue(wire[index + 1]), let low = hexValue(wire[index + 2]) else {
      return nil
    }
    return high << 4 | low
  }

  @inline(__always) private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "?") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "=")
  }

  /// Sorts query parameters by name, and those with equal names by value (`thenByValue`) or else in their order.
  package static func sort(
    _ parameters: inout ScratchList<WireParameter>, of wire: Span<UInt8>, by order: EncodedOrder,
    thenByValue: Bool = true
  ) {
    parameters.sort { first, second in
      let names = compareNames(first, second, of: wire, by: order)
      if names != 0 || !thenByValue { return names }
      return compare(wire.extracting(first.value), wire.extracting(second.value), by: .decoded, plusIsSpace: true)
    }
  }

  /// Sorts query parameters by name, and throws an error if a name appears twice.
  package static func sortDistinct(
    _ parameters: inout ScratchList<WireParameter>, of wire: Span<UInt8>, by order: EncodedOrder
  ) throws(SigningError) {
    if parameters.sort(by: { compareNames($0, $1, of: wire, by: order) }) { throw SigningError.repeatedParameter }
  }

  /// Compares the names of two parameters: negative if the first sorts first, and zero if the names are equal.
  package static func compareNames(
    _ first: WireParameter, _ second: WireParameter, of wire: Span<UInt8>, by order: EncodedOrder
  ) -> Int {
    compare(wire.extracting(first.name), wire.extracting(second.name), by: order, plusIsSpace: true)
  }
}

/// The byte ranges of an undecoded query parameter in a request's path.
@usableFromInline package struct WireParameter: BitwiseCopyable {
  @usableFromInline let nameStart: Int32
  @usableFromInline let nameEnd: Int32
  @usableFromInline let valueEnd: Int32
  /// Whether the name and the value consist only of unreserved characters, so that both are in canonical encoding.
  @usableFromInline package let isCanonical: Bool
  /// Whether the name and the value contain neither an escape nor a plus sign, so that both equal their decoded form.
  @usableFromInline package let isDecoded: Bool

  init(nameStart: Int, nameEnd: Int, valueEnd: Int, isCanonical: Bool, isDecoded: Bool) {
    self.isCanonical = isCanonical
    self.isDecoded = isDecoded
    self.nameStart = Int32(truncatingIfNeeded: nameStart)
    self.nameEnd = Int32(truncatingIfNeeded: nameEnd)
    self.valueEnd = Int32(truncatingIfNeeded: valueEnd)
  }

  @inlinable @inline(__always) package var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }

  /// The byte range of the parameter value, which is empty if the parameter has no value.
  @inlinable @inline(__always) package var value: Range<Int> { min(Int(nameEnd) + 1, Int(valueEnd))..<Int(valueEnd) }

  package func isNamed(_ text: StaticString, in wire: Span<UInt8>) -> Bool {
    name.count == text.utf8CodeUnitCount && wire.extracting(name).starts(with: text)
  }
}

/// The structure of a request's undecoded path, without the query.
@usableFromInline package struct WirePath: BitwiseCopyable {
  /// The index at which the path ends; the query, if any, begins after the `?` at this index.
  @usableFromInline package let end: Int
  /// Whether the path contains no escape, so that it equals its decoded form.
  @usableFromInline package let isDecoded: Bool
  /// Whether the path consists only of unreserved characters and slashes, so that it is in canonical encoding.
  @usableFromInline package let isCanonical: Bool

  /// Whether the path or the query contains an escaped `?`, `&` or `=`, or the query contains a literal `?`.
  ///
  /// A program that decodes such a string before splitting it obtains different parts.
  @usableFromInline package let holdsSeparator: Bool
}

/// Query parameters that a URL must not contain before it is signed, because the services accept only one signature.
package struct RefusedParameters {
  private let names: NameTable
  private let requestEnd: Int

  /// Creates a list of percent-encoded names; the parameters after `requestEnd` are those that the signer has added.
  package init(_ names: NameTable, before requestEnd: Int = .max) {
    self.names = names
    self.requestEnd = requestEnd
  }

  /// Throws an error if one of a request's parsed parameters is in the list.
  package func check(_ parameters: borrowing ScratchList<WireParameter>, of wire: Span<UInt8>) throws(SigningError) {
    for index in 0..<parameters.count where parameters[index].name.lowerBound < requestEnd {
      guard !names.contains(wire.extracting(parameters[index].name)) else {
        throw SigningError(
          .invalidPath, "The URL already carries a signature, or parameters of one.",
          remedy: "Sign the URL without those parameters; they are added.")
      }
    }
  }

  /// Throws an error if a path with its query is not valid in a URL, or has a parameter that is in the list.
  package func check(_ path: String) throws(SigningError) {
    try withBytes(of: path) { (wire) throws(SigningError) in
      try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        guard WireQuery.split(wire, into: &parameters) != nil else { throw SigningError.unreadablePath }
        try check(parameters, of: wire)
      }
    }
  }
}

extension ByteWriter {
  /// Appends the delimiter before an additional query parameter: `?`, or `&` if the path already has a query.
  package mutating func append(separatorAfter path: String) {
    let hasQuery = withBytes(of: path) { $0.contains(UInt8(ascii: "?")) }
    append(UInt8(ascii: hasQuery ? "&" : "?"))
  }

  /// Appends a query parameter as decoded `name=value`, without `=` if the value is empty.
  package mutating func append(decoding parameter: WireParameter, of wire: Span<UInt8>) {
    append(decoding: wire.extracting(parameter.name), isDecoded: parameter.isDecoded)
    guard !parameter.value.isEmpty else { return }
    append(UInt8(ascii: "="))
    append(decoding: wire.extracting(parameter.value), isDecoded: parameter.isDecoded)
  }

  @inline(__always) private mutating func append(decoding text: Span<UInt8>, isDecoded: Bool) {
    if isDecoded { append(text) } else { append(decoding: text, plusIsSpace: true) }
  }

  package mutating func append(normalizing path: WirePath, of wire: Span<UInt8>) {
    let bytes = wire.extracting(0..<path.end)
    if path.isCanonical { append(bytes) } else { append(normalizing: bytes, plusIsSpace: false, .path) }
  }

  package mutating func append(decoding path: WirePath, of wire: Span<UInt8>) {
    let bytes = wire.extracting(0..<path.end)
    if path.isDecoded { append(bytes) } else { append(decoding: bytes, plusIsSpace: false) }
  }

  /// Appends a query parameter as `name=value` in canonical encoding.
  package mutating func append(
    canonical parameter: WireParameter, of wire: Span<UInt8>, nameCase: EncodedCase = .asWritten, keepsEmptyValue: Bool
  ) {
    guard parameter.isCanonical else {
      append(normalizing: wire.extracting(parameter.name), plusIsSpace: true, .component, nameCase)
      guard keepsEmptyValue || !parameter.value.isEmpty else { return }
      append(UInt8(ascii: "="))
      return append(normalizing: wire.extracting(parameter.value), plusIsSpace: true)
    }
    // A canonical parameter is copied as it is, except for the letter case of its name.
    let name = wire.extracting(parameter.name)
    if nameCase == .asWritten { append(name) } else { append(lowercased: name) }
    guard keepsEmptyValue || !parameter.value.isEmpty else { return }
    append(UInt8(ascii: "="))
    append(wire.extracting(parameter.value))
  }

  /// Appends the lowercase name of a query parameter in canonical encoding.
  package mutating func append(loweredNameOf parameter: WireParameter, of wire: Span<UInt8>) {
    let name = wire.extracting(parameter.name)
    guard parameter.isCanonical else { return append(normalizing: name, plusIsSpace: true, .component, .lowered) }
    append(lowercased: name)
  }

  package mutating func append(lowercased text: Span<UInt8>) {
    var index = 0
    while index < text.count {
      append(ByteLanes(text, from: index).lowercased, count: min(text.count &- index, 16))
      index &+= 16
    }
  }
}
