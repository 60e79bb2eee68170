/// Reads the frames of ascp's management port from bytes that come cut anywhere.
///
/// Any version, any order of the fields, and lines that end with CR LF are read. A line that belongs to no frame is
/// reported and skipped, and the rest of its frame with it. Memory is bounded: by the longest line, and by the largest
/// frame. What is not UTF-8 in a value is replaced.
///
/// ```swift
/// var parser = ManagementFrameParser()
/// for item in parser.feed(bytes) { if case .frame(let frame) = item { handle(frame) } }
/// ```
package struct ManagementFrameParser: Sendable {
  /// What came out of the bytes.
  package enum Item: Sendable, Equatable {
    /// A frame.
    case frame(ManagementFrame)
    /// Something that is no frame; reading goes on with the next header.
    case problem(Problem)
  }

  /// What was wrong with something that is no frame.
  package enum Problem: String, Sendable, Hashable {
    /// A line where a header should be.
    case missingHeader
    /// A header whose version is not a number.
    case invalidHeader
    /// A line without `: `.
    case invalidField
    /// A line longer than ``ManagementFrameParser/longestLine``.
    case lineTooLong
    /// A frame larger than ``ManagementFrameParser/largestFrame``.
    case frameTooLarge
    /// The bytes ended within a frame.
    case cutOff
  }

  /// How many bytes a line may have: 64 KiB, more than any path.
  package static let longestLine = 65_536

  /// How many bytes a frame may have: 256 KiB.
  package static let largestFrame = 262_144

  private enum State {
    /// Between frames.
    case idle
    /// Within a frame.
    case frame(version: Int)
    /// Within something that was reported; up to the next empty line or header.
    case skipping
  }

  private var state = State.idle
  private var line: [UInt8] = []
  private var isLineTooLong = false
  private var fields: [(name: String, value: String)] = []
  private var size = 0

  /// A parser that has seen nothing.
  package init() {}

  /// Reads on.
  ///
  /// - Parameter bytes: What came next.
  /// - Returns: What is complete with it, in order.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Item] {
    var items: [Item] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        endLine(&items)
      } else if line.count < Self.longestLine {
        line.append(byte)
      } else {
        isLineTooLong = true
      }
    }
    return items
  }

  /// Says that no more bytes come.
  ///
  /// - Returns: The problem, if they ended within a frame.
  package mutating func finish() -> Item? {
    defer { self = ManagementFrameParser() }
    switch state {
    case .frame: return .problem(.cutOff)
    case .idle, .skipping: return line.isEmpty ? nil : .problem(.cutOff)
    }
  }

  private mutating func endLine(_ items: inout [Item]) {
    defer {
      line.removeAll(keepingCapacity: true)
      isLineTooLong = false
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if isLineTooLong { return fail(.lineTooLong, &items) }
    if line.isEmpty { return endFrame(&items) }
    if line.starts(with: "FASPMGR ".utf8) { return begin(&items) }
    switch state {
    case .idle: fail(.missingHeader, &items)
    case .frame: addField(&items)
    case .skipping: break
    }
  }

  /// A header also ends a frame that lacks its empty line, which is reported.
  private mutating func begin(_ items: inout [Item]) {
    if case .frame = state { items.append(.problem(.cutOff)) }
    fields = []
    size = line.count
    let digits = line.dropFirst("FASPMGR ".utf8.count)
    let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, let version = Int(String(decoding: digits, as: UTF8.self)) else {
      return fail(.invalidHeader, &items)
    }
    state = .frame(version: version)
  }

  private mutating func addField(_ items: inout [Item]) {
    size += line.count + 1
    guard size <= Self.largestFrame else { return fail(.frameTooLarge, &items) }
    guard let name = Self.name(in: line) else { return fail(.invalidField, &items) }
    let value = line.dropFirst(name.count + 2)
    fields.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
  }

  /// What stands before the first `: `; the space may be missing where there is no value.
  private static func name(in line: [UInt8]) -> ArraySlice<UInt8>? {
    var start = line.startIndex
    while let colon = line[start...].firstIndex(of: UInt8(ascii: ":")) {
      let next = colon + 1
      if next == line.endIndex || line[next] == UInt8(ascii: " ") { return colon == 0 ? nil : line[..<colon] }
      start = next
    }
    return nil
  }

  private mutating func endFrame(_ items: inout [Item]) {
    if case .frame(let version) = state { items.append(.frame(ManagementFrame(version: version, fields: fields))) }
    fields = []
    state = .idle
  }

  /// Reports a problem, once for each piece that is skipped.
  private mutating func fail(_ problem: Problem, _ items: inout [Item]) {
    if case .skipping = state {
      if problem == .invalidHeader { items.append(.problem(problem)) }
      return
    }
    items.append(.problem(problem))
    fields = []
    state = .skipping
  }
}
