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
    next: for candidate in buckets[name.count] {
      for index in name.indices where candidate[index] != name[index] { continue next }
      return true
    }
    return false
  }

  /// Whether a name is in the table.
  package func contains(_ name: String) -> Bool {
    withBytes(of: name) { contains($0) }
  }
}

extension Span<UInt8> {
  /// Whether one of the bytes is `byte`.
  @inlinable
  package func contains(_ byte: UInt8) -> Bool {
    // Within bounds: the indices are the span's own.
    for index in indices where unsafe self[unchecked: index] == byte { return true }
    return false
  }

  /// Whether the bytes start with a text.
  @inlinable @inline(__always)
  package func starts(with prefix: StaticString) -> Bool {
    prefix.withUTF8Buffer { prefix in
      guard prefix.count <= count else { return false }
      for index in prefix.indices where unsafe prefix[index] != self[index] { return false }
      return true
    }
  }
}
