// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A parser that finds every request target with a given resource in its V1 string to sign.
///
/// The resource is `/`, the bucket, `/`, the decoded key and, after a question mark, the signed parameters. The
/// parameters are decoded and sorted by name, with `&` between them. The resource does not show which question mark
/// ends the key, which `&` ends a parameter, and which `=` ends a name that starts with `x-oss-`. Each combination that
/// is the resource of a request is a reading.
package struct OSSV1Readings {
  /// The maximum numbers of readings that are returned and of combinations that are examined.
  ///
  /// A client chooses the string, so that it could otherwise make the server examine exponentially many combinations.
  private static let readingLimit = 128
  private static let combinationLimit = 4096

  /// The maximum length, in bytes, of a parameter name that does not start with `x-oss-`.
  private static let nameByteLimit = 64

  private let bytes: [UInt8]
  /// The positions of each `&` and of each `=` in the resource.
  private let ampersands: [Int]
  private let equalSigns: [Int]
  private let subresources = OSSSubresources()
  private var combinationCount = 0
  private var targets: [RequestTarget] = []

  /// The bucket name and the position of its end, or `nil` if the resource does not start with a bucket name.
  private let bucket: (name: String, slash: Int)?

  private struct Parameter {
    let name: Range<Int>
    let value: Range<Int>?
  }

  /// A partially parsed parameter list, the index of its next parameter, and the number of `&` before that index.
  private struct PartialReading {
    let index: Int
    let ampersand: Int
    let parameters: [Parameter]
  }

  /// Returns every target whose V1 resource is the given string, or `nil` if there are too many combinations to
  /// examine.
  package static func targets(ofResource resource: String) -> [RequestTarget]? {
    var readings = OSSV1Readings(resource)
    return readings.readEveryPath() ? readings.targets : nil
  }

  private init(_ resource: String) {
    let bytes = Array(resource.utf8)
    self.bytes = bytes
    ampersands = bytes.indices.filter { bytes[$0] == UInt8(ascii: "&") }
    equalSigns = bytes.indices.filter { bytes[$0] == UInt8(ascii: "=") }
    bucket = bytes.dropFirst().firstIndex(of: UInt8(ascii: "/")).flatMap { slash in
      let name = String(decoding: bytes[1..<slash], as: UTF8.self)
      return isBucketName(name) || isHost(name) ? (name, slash) : nil
    }
  }

  /// Parses the resource with each question mark as the end of the key and without parameters, or returns `false`.
  private mutating func readEveryPath() -> Bool {
    for end in bytes.indices where bytes[end] == UInt8(ascii: "?") && isPath(endingAt: end) {
      guard readParameters(from: end + 1) else { return false }
    }
    if isPath(endingAt: bytes.count) { addTarget([], pathEnd: bytes.count) }
    return targets.count <= Self.readingLimit
  }

  /// Returns whether the bytes before an index are `/`, or a slash, a bucket name, a slash and a key.
  private func isPath(endingAt end: Int) -> Bool {
    guard bytes.first == UInt8(ascii: "/") else { return false }
    return end == 1 || bucket.map { $0.slash < end } ?? false
  }

  /// Parses the parameters, whose names V1 must sign and which must ascend, in every way, or returns `false`.
  private mutating func readParameters(from start: Int) -> Bool {
    let first = Self.firstIndex(in: ampersands, from: start)
    var pending = [PartialReading(index: start, ampersand: first, parameters: [])]
    while let partial = pending.popLast() {
      let names = possibleNames(from: partial.index)
      for ampersand in partial.ampersand...ampersands.count where !names.isEmpty {
        let end = ampersand < ampersands.count ? ampersands[ampersand] : bytes.count
        for name in names where name.upperBound <= end {
          combinationCount += 1
          guard combinationCount <= Self.combinationLimit, targets.count <= Self.readingLimit else { return false }
          guard let parameter = parameter(name, endingAt: end), ascends(parameter, after: partial.parameters.last)
          else { continue }
          let parameters = partial.parameters + [parameter]
          if end == bytes.count {
            addTarget(parameters, pathEnd: start - 1)
          } else {
            pending.append(PartialReading(index: end + 1, ampersand: ampersand + 1, parameters: parameters))
          }
        }
      }
    }
    return true
  }

  /// Returns the possible names of a parameter from an index; only an `x-oss-` name can contain a separator.
  private func possibleNames(from start: Int) -> [Range<Int>] {
    let prefix = "x-oss-"
    if bytes[start...].starts(with: prefix.utf8) {
      let ends = [ampersands, equalSigns].flatMap {
        $0[Self.firstIndex(in: $0, from: start + prefix.utf8.count)...].prefix(Self.combinationLimit)
      }
      return (ends + [bytes.count]).map { start..<$0 }
    }
    let separators = [ampersands, equalSigns].compactMap { $0[Self.firstIndex(in: $0, from: start)...].first }
    let end = separators.min() ?? bytes.count
    guard end - start <= Self.nameByteLimit, subresources.contains(decoded: Array(bytes[start..<end])) else {
      return []
    }
    return [start..<end]
  }

  /// Returns the index of the first element that is at or after a position, in a list of ascending positions.
  private static func firstIndex(in positions: [Int], from position: Int) -> Int {
    var (lower, upper) = (0, positions.count)
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      if positions[middle] < position { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  /// Returns the parameter with a name and the value after it up to `end`, or without a value if the name ends there.
  private func parameter(_ name: Range<Int>, endingAt end: Int) -> Parameter? {
    if name.upperBound == end { return Parameter(name: name, value: nil) }
    guard bytes[name.upperBound] == UInt8(ascii: "="), name.upperBound + 1 < end else { return nil }
    return Parameter(name: name, value: (name.upperBound + 1)..<end)
  }

  /// Returns whether a parameter has a greater name than the one before it, as the canonical order requires.
  private func ascends(_ parameter: Parameter, after last: Parameter?) -> Bool {
    last.map { bytes[$0.name].lexicographicallyPrecedes(bytes[parameter.name]) } ?? true
  }

  private mutating func addTarget(_ parameters: [Parameter], pathEnd end: Int) {
    var bucketName: String?
    var key: String?
    if let bucket, end > bucket.slash {
      bucketName = bucket.name
      if bucket.slash + 1 < end { key = text((bucket.slash + 1)..<end) }
    }
    targets.append(
      RequestTarget(
        bucket: bucketName, key: key,
        parameters: parameters.map { .init(name: text($0.name), value: $0.value.map(text)) }))
  }

  /// Returns a part of the resource, which is valid UTF-8 because it starts and ends next to ASCII characters.
  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
