// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A comparison of two strings by lines, which a page shows side by side.
struct LineComparison: Sendable {
  /// A line of one string, split at the part that differs from the line of the other string.
  struct Line: Sendable, Hashable {
    /// The common beginning; the whole line if the lines are equal.
    let commonPrefix: String
    let difference: String
    let commonSuffix: String

    var text: String { "\(commonPrefix)\(difference)\(commonSuffix)" }
  }

  /// The lines of the client and of the service in one place, where one of the strings may have no line.
  struct Row: Sendable, Hashable {
    let client: Line?
    let service: Line?
    let differs: Bool
  }

  let rows: [Row]

  /// The maximum number of cells in the table that aligns the strings; larger ones are compared line by line.
  private static let cellLimit = 100_000

  init(client: String, service: String) {
    let (clientLines, serviceLines) = (Self.lines(of: client), Self.lines(of: service))
    var rows: [Row] = []
    var (clientIndex, serviceIndex) = (0, 0)
    let end = (client: clientLines.count, service: serviceLines.count)
    for (nextClient, nextService) in Self.commonLines(clientLines, serviceLines) + [end] {
      // Lines between two common lines replace each other in their order.
      while clientIndex < nextClient || serviceIndex < nextService {
        rows.append(
          Self.row(
            clientIndex < nextClient ? clientLines[clientIndex] : nil,
            serviceIndex < nextService ? serviceLines[serviceIndex] : nil))
        (clientIndex, serviceIndex) = (min(clientIndex + 1, nextClient), min(serviceIndex + 1, nextService))
      }
      guard (nextClient, nextService) != end else { break }
      rows.append(Self.row(clientLines[nextClient], serviceLines[nextService]))
      (clientIndex, serviceIndex) = (nextClient + 1, nextService + 1)
    }
    self.rows = rows
  }

  private static func lines(of text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String($0) ?? "" }
  }

  /// Returns the indices of a longest common subsequence in ascending order, or no indices beyond ``cellLimit``.
  private static func commonLines(_ first: [String], _ second: [String]) -> [(client: Int, service: Int)] {
    let width = second.count + 1
    guard first.count * width <= cellLimit else { return [] }
    // The cell (row, column) is the length of a longest common subsequence of first[row...] and second[column...].
    var lengths = [Int32](repeating: 0, count: (first.count + 1) * width)
    for row in first.indices.reversed() {
      for column in second.indices.reversed() {
        let (cell, below) = (row * width + column, (row + 1) * width + column)
        lengths[cell] =
          first[row].isIdentical(to: second[column]) ? lengths[below + 1] + 1 : max(lengths[below], lengths[cell + 1])
      }
    }
    var (row, column) = (0, 0)
    var common: [(client: Int, service: Int)] = []
    while row < first.count, column < second.count {
      if first[row].isIdentical(to: second[column]) {
        common.append((row, column))
        (row, column) = (row + 1, column + 1)
      } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
        row += 1
      } else {
        column += 1
      }
    }
    return common
  }

  /// Returns the row of two lines, or of a single line, in a form that is safe to show.
  private static func row(_ client: String?, _ service: String?) -> Row {
    guard let client, let service else {
      func singleLine(_ text: String?) -> Line? {
        text.map { Line(commonPrefix: "", difference: $0.onOneLine, commonSuffix: "") }
      }
      return Row(client: singleLine(client), service: singleLine(service), differs: true)
    }
    let (first, second) = (Array(client.unicodeScalars), Array(service.unicodeScalars))
    let prefixCount = zip(first, second).prefix { $0 == $1 }.count
    let suffixLimit = min(first.count, second.count) - prefixCount
    let suffixCount = zip(first.reversed(), second.reversed()).prefix(suffixLimit).prefix { $0 == $1 }.count
    func line(_ scalars: [Unicode.Scalar]) -> Line {
      func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])).onOneLine }
      let suffixStart = scalars.count - suffixCount
      return Line(
        commonPrefix: text(0..<prefixCount), difference: text(prefixCount..<suffixStart),
        commonSuffix: text(suffixStart..<scalars.count))
    }
    return Row(client: line(first), service: line(second), differs: prefixCount < max(first.count, second.count))
  }
}
