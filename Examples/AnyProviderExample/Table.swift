// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The number of files and bytes that were transferred with one provider.
struct Moved {
  private(set) var fileCount = 0
  private(set) var bytesUp: Int64 = 0
  private(set) var bytesDown: Int64 = 0

  mutating func add(up: Int64, down: Int64) {
    fileCount += 1
    bytesUp += up
    bytesDown += down
  }
}

/// A table with the number of files and bytes that were transferred with each provider.
struct Table: CustomStringConvertible {
  private var rows = [["provider", "files", "bytes up", "bytes down", "verified"]]

  mutating func add(_ provider: ProviderName, _ moved: Moved, verified: String?) {
    rows.append([
      provider.rawValue, "\(moved.fileCount)", "\(moved.bytesUp)", "\(moved.bytesDown)",
      verified ?? "-",
    ])
  }

  var description: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, text in
        let blanks = String(repeating: " ", count: widths[column] - text.count)
        return column == 0 ? text + blanks : blanks + text
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
