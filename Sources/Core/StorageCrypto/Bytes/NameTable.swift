// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A fixed set of ASCII names that can be searched without creating a string.
@usableFromInline package final class NameTable: Sendable {
  /// The concatenated names, sorted by length.
  private let nameBytes: ContiguousArray<UInt8>
  /// The index of the first name of each length, followed by the end index of the longest names.
  private let starts: [Int]

  package init(_ names: some Sequence<String>) {
    var bytes: ContiguousArray<UInt8> = []
    var starts = [0]
    for name in Set(names).sorted(by: { $0.utf8.count < $1.utf8.count }) {
      while starts.count <= name.utf8.count { starts.append(bytes.count) }
      bytes.append(contentsOf: name.utf8)
    }
    starts.append(bytes.count)
    nameBytes = bytes
    self.starts = starts
  }

  package func contains(_ name: Span<UInt8>) -> Bool {
    guard name.count > 0, name.count &+ 1 < starts.count else { return false }
    let nameBytes = nameBytes
    let names = nameBytes.span
    var start = starts[name.count]
    let end = starts[name.count &+ 1]
    while start < end {
      let next = start &+ name.count
      if names.extracting(start..<next).isIdentical(to: name) { return true }
      start = next
    }
    return false
  }

  package func contains(_ name: String) -> Bool { withBytes(of: name) { contains($0) } }
}
