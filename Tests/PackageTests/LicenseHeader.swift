// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

extension SourceTree {
  /// The license header of a Swift file and the empty line below it, as `Tests/Language/check-headers.py` writes them.
  static let header: [Substring] = [
    "// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0",
    "",
  ]
}

extension SourceTree.File {
  /// The lines without the license header, the empty line below it and the empty string after the last line break.
  var linesWithoutHeader: ArraySlice<Substring> {
    let rest = lines.starts(with: SourceTree.header) ? lines.dropFirst(SourceTree.header.count) : lines[...]
    return rest.last == "" ? rest.dropLast() : rest
  }
}
