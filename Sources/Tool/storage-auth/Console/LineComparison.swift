// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// Two signed strings line by line, with the differing parts of the lines.
struct LineComparison: Sendable {
  /// A line of one string, split at the part in which it differs from the line of the other string.
  struct Line: Sendable, Hashable {
    /// The beginning that both lines have in common; the whole line if the lines are equal.
    let commonPrefix: String
    /// The part that differs, or an empty string.
    let difference: String
    /// The end that both lines have in common.
    let commonSuffix: String

    var text: String { "\(commonPrefix)\(difference)\(commonSuffix)" }
  }

  /// Two lines that belong together, of the strings of the signing client and of the storage service.
  ///
  /// One is `nil` where its string has no line in this place.
  struct Row: Sendable, Hashable {
    let client: Line?
    let service: Line?
    let differs: Bool
  }

  let rows: [Row]

  /// The maximum number of cells in the table that aligns the strings; strings with more lines are compared line by line.
  private static let cellLimit = 100_000

  /// Creates a comparison of two strings.
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

  /// Returns the indices of a longest common subsequence in ascending order, or no indices for very many lines.
  private static func commonLines(_ first: [String], _ second: [String]) -> [(client: Int, service: Int)] {
    let width = second.count + 1
    guard first.count * width <= cellLimit else { return [] }
    // lengths[i * width + j] is the length of a longest common subsequence of first[i...] and second[j...].
    var lengths = [Int32](repeating: 0, count: (first.count + 1) * width)
    for i in first.indices.reversed() {
      for j in second.indices.reversed() {
        lengths[i * width + j] =
          first[i].isIdentical(to: second[j])
          ? lengths[(i + 1) * width + j + 1] + 1
          : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
      }
    }
    var (i, j) = (0, 0)
    var common: [(client: Int, service: Int)] = []
    while i < first.count, j < second.count {
      if first[i].isIdentical(to: second[j]) {
        common.append((i, j))
        (i, j) = (i + 1, j + 1)
      } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return common
  }

  /// Returns the row of two lines with the part between their common start and their common end, or of a single line,
  /// in a form that is safe to show.
  private static func row(_ client: String?, _ service: String?) -> Row {
    guard let client, let service else {
      func singleLine(_ text: String?) -> Line? {
        text.map { Line(commonPrefix: "", difference: $0.onOneLine, commonSuffix: "") }
      }
      return Row(client: singleLine(client), service: singleLine(service), differs: true)
    }
    let (first, second) = (Array(client.unicodeScalars), Array(service.unicodeScalars))
    var start = 0
    while start < min(first.count, second.count), first[start] == second[start] { start += 1 }
    var end = 0
    while end < min(first.count, second.count) - start, first[first.count - 1 - end] == second[second.count - 1 - end] {
      end += 1
    }
    func line(_ scalars: [Unicode.Scalar]) -> Line {
      func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])).onOneLine }
      return Line(
        commonPrefix: text(0..<start), difference: text(start..<scalars.count - end),
        commonSuffix: text(scalars.count - end..<scalars.count))
    }
    return Row(client: line(first), service: line(second), differs: start < max(first.count, second.count))
  }
}
