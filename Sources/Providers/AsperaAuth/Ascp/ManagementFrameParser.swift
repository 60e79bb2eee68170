// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An incremental parser for the frames on ascp's management port.
///
/// The parser accepts input in chunks of any length, any protocol version, fields in any order, and lines that end with
/// CR LF. If a line does not belong to a frame, the parser reports a problem and skips the line together with the rest
/// of its frame. The longest line and the largest frame limit the memory use. Bytes that are not UTF-8 are replaced.
package struct ManagementFrameParser: Sendable {
  package enum Item: Sendable, Equatable {
    case frame(ManagementFrame)
    /// Input that is not a management frame, after which parsing continues at the next header.
    case problem(Problem)
  }

  package enum Problem: String, Sendable, Hashable {
    /// A line of another form is in the position of a header.
    case missingHeader, invalidHeader, invalidField, lineTooLong, frameTooLarge, cutOff
  }

  /// The maximum length of a line in bytes: 64 KiB, which is more than the length of any path.
  package static let lineByteLimit = 65_536
  /// The maximum size of a frame in bytes: several of the longest lines.
  package static let frameByteLimit = 262_144
  private static let headerPrefix = "FASPMGR ".utf8

  private enum Position {
    case betweenFrames
    case frame(version: Int)
    /// The parser skips input with a reported problem, up to the next empty line or header.
    case skipping
  }

  private var position = Position.betweenFrames
  private var line: [UInt8] = []
  private var isLineTooLong = false
  private var fields: [(name: String, value: String)] = []
  private var frameByteCount = 0

  package init() {}

  /// Parses the next chunk of input, and returns the frames and problems that are then complete, in order.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Item] {
    var items: [Item] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        endLine(&items)
      } else if line.count < Self.lineByteLimit {
        line.append(byte)
      } else {
        isLineTooLong = true
      }
    }
    return items
  }

  /// Ends the input and resets the parser, and returns a problem if the input ended within a frame.
  package mutating func finish() -> Item? {
    defer { self = ManagementFrameParser() }
    switch position {
    case .frame: return .problem(.cutOff)
    case .betweenFrames, .skipping: return line.isEmpty ? nil : .problem(.cutOff)
    }
  }

  private mutating func endLine(_ items: inout [Item]) {
    defer {
      line.removeAll(keepingCapacity: true)
      isLineTooLong = false
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if isLineTooLong { return reportProblem(.lineTooLong, &items) }
    if line.isEmpty { return endFrame(&items) }
    if line.starts(with: Self.headerPrefix) { return beginFrame(&items) }
    switch position {
    case .betweenFrames: reportProblem(.missingHeader, &items)
    case .frame: addField(&items)
    case .skipping: break
    }
  }

  private mutating func beginFrame(_ items: inout [Item]) {
    if case .frame = position { items.append(.problem(.cutOff)) }
    fields = []
    frameByteCount = line.count
    let digits = line.dropFirst(Self.headerPrefix.count)
    guard let version = Int(digits: String(decoding: digits, as: UTF8.self)) else {
      return reportProblem(.invalidHeader, &items)
    }
    position = .frame(version: version)
  }

  private mutating func addField(_ items: inout [Item]) {
    frameByteCount += line.count + 1
    guard frameByteCount <= Self.frameByteLimit else { return reportProblem(.frameTooLarge, &items) }
    guard let name = Self.name(in: line) else { return reportProblem(.invalidField, &items) }
    let value = line.dropFirst(name.count + ": ".utf8.count)
    fields.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
  }

  /// Returns the name before the first `: `, or before a colon at the end if the value is empty.
  private static func name(in line: [UInt8]) -> ArraySlice<UInt8>? {
    var start = line.startIndex
    while let colon = line[start...].firstIndex(of: UInt8(ascii: ":")) {
      start = colon + 1
      if start == line.endIndex || line[start] == UInt8(ascii: " ") { return colon == 0 ? nil : line[..<colon] }
    }
    return nil
  }

  private mutating func endFrame(_ items: inout [Item]) {
    if case .frame(let version) = position { items.append(.frame(ManagementFrame(version: version, fields: fields))) }
    fields = []
    position = .betweenFrames
  }

  /// Reports a problem, but only once for each section of the input that is skipped.
  private mutating func reportProblem(_ problem: Problem, _ items: inout [Item]) {
    if case .skipping = position {
      if problem == .invalidHeader { items.append(.problem(problem)) }
      return
    }
    items.append(.problem(problem))
    fields = []
    position = .skipping
  }
}
