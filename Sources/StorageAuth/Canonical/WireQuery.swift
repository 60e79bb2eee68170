package import StorageCrypto

/// Where the parts of one query parameter lie in a request's path.
package struct WireParameter: BitwiseCopyable {
  private let nameStart: Int32
  private let nameEnd: Int32
  private let valueEnd: Int32

  init(nameStart: Int, nameEnd: Int, valueEnd: Int) {
    self.nameStart = Int32(truncatingIfNeeded: nameStart)
    self.nameEnd = Int32(truncatingIfNeeded: nameEnd)
    self.valueEnd = Int32(truncatingIfNeeded: valueEnd)
  }

  /// Where the name lies.
  package var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }

  /// Where the value lies; empty where there is none.
  package var value: Range<Int> { min(Int(nameEnd) + 1, Int(valueEnd))..<Int(valueEnd) }

  /// Whether there is an `=`.
  package var hasValue: Bool { valueEnd > nameEnd }
}

/// The path and the query of a request as they travel, cut into parts and not decoded.
package enum WireQuery {
  /// Cuts a request's path.
  ///
  /// - Parameters:
  ///   - wire: The path with its query.
  ///   - parameters: Receives the parameters in their order.
  /// - Returns: Where the path without its query ends; nothing if the text is not one that may travel: it does not start
  ///   with `/`, holds a blank, a control character, a `#` or a byte that is not ASCII, or an escape is broken.
  package static func cut(_ wire: Span<UInt8>, into parameters: inout ScratchList<WireParameter>) -> Int? {
    guard wire.count > 0, wire.count < Int(Int32.max), wire[0] == UInt8(ascii: "/") else { return nil }
    var pathEnd = -1
    var start = 0
    var nameEnd = -1
    var index = 0
    while index < wire.count {
      let byte = wire[index]
      if byte >= UInt8(ascii: "@") && byte < 0x7f || byte >= UInt8(ascii: "-") && byte <= UInt8(ascii: ";") {
        index += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "%"):
        guard isEscape(wire, at: index) else { return nil }
        index += 2
      case UInt8(ascii: "?") where pathEnd < 0:
        pathEnd = index
        start = index + 1
      case UInt8(ascii: "=") where pathEnd >= 0 && nameEnd < 0: nameEnd = index
      case UInt8(ascii: "&") where pathEnd >= 0:
        append(from: start, to: index, nameEnd, &parameters)
        start = index + 1
        nameEnd = -1
      case ...UInt8(ascii: " "), 0x7f..., UInt8(ascii: "#"): return nil
      default: break
      }
      index += 1
    }
    guard pathEnd >= 0 else { return wire.count }
    append(from: start, to: wire.count, nameEnd, &parameters)
    return pathEnd
  }

  private static func append(
    from start: Int, to end: Int, _ nameEnd: Int, _ parameters: inout ScratchList<WireParameter>
  ) {
    guard end > start else { return }
    parameters.append(WireParameter(nameStart: start, nameEnd: nameEnd < 0 ? end : nameEnd, valueEnd: end))
  }

  private static func isEscape(_ wire: Span<UInt8>, at index: Int) -> Bool {
    index + 2 < wire.count && hexValue(wire[index + 1]) != nil && hexValue(wire[index + 2]) != nil
  }

  /// Refuses a path that carries a signature already: the services accept one authorization only.
  package static func refuse(
    _ names: NameTable, among parameters: borrowing ScratchList<WireParameter>, of wire: Span<UInt8>
  ) throws(SigningError) {
    for index in 0..<parameters.count where names.contains(wire.extracting(parameters[index].name)) {
      throw SigningError(
        .invalidPath, "The URL carries a signature, or what belongs to one, already.",
        remedy: "Sign the URL without those parameters; they are added.")
    }
  }

  /// Refuses a path that carries a signature already.
  package static func refuse(_ names: NameTable, in path: String) throws(SigningError) {
    try withBytes(of: path) { (wire) throws(SigningError) in
      try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        guard cut(wire, into: &parameters) != nil else { throw SigningError.unreadablePath }
        try refuse(names, among: parameters, of: wire)
      }
    }
  }

  /// Sorts parameters by name and, where names are equal in that order, by value or as they were.
  package static func sort(
    _ parameters: inout ScratchList<WireParameter>, of wire: Span<UInt8>, by order: EncodedOrder,
    thenByValue: Bool = true
  ) {
    parameters.sort { first, second in
      let names = compareNames(first, second, of: wire, by: order)
      if names != 0 || !thenByValue { return names < 0 }
      return compare(
        wire.extracting(first.value), wire.extracting(second.value), by: .decoded, plusIsSpace: true) < 0
    }
  }

  /// Sorts parameters by name and refuses a name that is there twice.
  package static func sortDistinct(
    _ parameters: inout ScratchList<WireParameter>, of wire: Span<UInt8>, by order: EncodedOrder
  ) throws(SigningError) {
    sort(&parameters, of: wire, by: order)
    for index in 0..<max(parameters.count - 1, 0)
    where compareNames(parameters[index], parameters[index + 1], of: wire, by: order) == 0 {
      throw SigningError.repeatedParameter
    }
  }

  /// Compares the names of two parameters: negative, zero or positive.
  package static func compareNames(
    _ first: WireParameter, _ second: WireParameter, of wire: Span<UInt8>, by order: EncodedOrder
  ) -> Int {
    compare(wire.extracting(first.name), wire.extracting(second.name), by: order, plusIsSpace: true)
  }
}

extension ByteWriter {
  /// Appends `name=value` in the one canonical encoding.
  ///
  /// - Parameters:
  ///   - parameter: The parameter.
  ///   - wire: The path that it lies in.
  ///   - nameCase: The case of the name.
  ///   - keepsEmptyValue: Whether a parameter without a value gets an `=` as well.
  package mutating func append(
    canonical parameter: WireParameter, of wire: Span<UInt8>, nameCase: EncodedCase = .asWritten,
    keepsEmptyValue: Bool
  ) {
    append(normalizing: wire.extracting(parameter.name), plusIsSpace: true, .component, nameCase)
    guard keepsEmptyValue || !parameter.value.isEmpty else { return }
    append(UInt8(ascii: "="))
    append(normalizing: wire.extracting(parameter.value), plusIsSpace: true)
  }
}
