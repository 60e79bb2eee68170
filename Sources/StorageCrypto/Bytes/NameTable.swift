/// A fixed set of ASCII names that is searched without making a string.
@usableFromInline
package struct NameTable: Sendable {
  /// The names by their length.
  private let buckets: [[[UInt8]]]

  /// Makes a table.
  package init(_ names: some Sequence<String>) {
    var buckets: [[[UInt8]]] = []
    for name in Set(names) {
      let bytes = Array(name.utf8)
      while buckets.count <= bytes.count { buckets.append([]) }
      buckets[bytes.count].append(bytes)
    }
    self.buckets = buckets
  }

  /// Whether a name is in the table.
  package func contains(_ name: Span<UInt8>) -> Bool {
    guard name.count < buckets.count else { return false }
    return buckets[name.count].contains { candidate in
      let candidate = candidate.span
      for index in name.indices where candidate[index] != name[index] { return false }
      return true
    }
  }

  /// Whether a name is in the table.
  package func contains(_ name: String) -> Bool {
    withBytes(of: name) { contains($0) }
  }
}

extension Span<UInt8> {
  /// Whether the bytes start with a text.
  package func starts(with prefix: StaticString) -> Bool {
    prefix.withUTF8Buffer { prefix in
      guard prefix.count <= count else { return false }
      for index in prefix.indices where unsafe prefix[index] != self[index] { return false }
      return true
    }
  }
}
