// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A parser that finds every request target with a given resource in its V1 string to sign.
///
/// The resource is `/`, the bucket, `/`, the decoded key and, after a question mark, the signed parameters: decoded,
/// sorted by name, with `&` between them. It does not show which question mark ends the key, which `&` ends a
/// parameter, and which `=` ends a name that starts with `x-oss-`. A reading is one combination of these.
package struct OSSV1Readings {
  /// The limits of returned readings and of examined combinations, whose number a client could make exponential.
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

  /// A partially parsed list of parameters, whose next parameter begins at `start`.
  private struct PartialReading {
    let start: Int
    /// The index, in `ampersands`, of the first `&` that can end the next parameter.
    let nextAmpersand: Int
    let parameters: [Parameter]
  }

  /// Returns every target with the given V1 resource, or `nil` if there are too many combinations to examine.
  package static func targets(ofResource resource: String) -> [RequestTarget]? {
    var readings = OSSV1Readings(resource)
    return readings.addAllTargets() ? readings.targets : nil
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

  /// Adds the targets for each `?` that can end the key, and for no parameters, or returns `false` at a limit.
  private mutating func addAllTargets() -> Bool {
    for end in bytes.indices where bytes[end] == UInt8(ascii: "?") && isPath(endingAt: end) {
      guard addTargets(withParametersFrom: end + 1) else { return false }
    }
    if isPath(endingAt: bytes.count) { addTarget([], pathEnd: bytes.count) }
    return targets.count <= Self.readingLimit
  }

  /// Returns whether the bytes before an index are `/`, or a slash, a bucket name, a slash and a key.
  private func isPath(endingAt end: Int) -> Bool {
    guard bytes.first == UInt8(ascii: "/") else { return false }
    return end == 1 || bucket.map { $0.slash < end } ?? false
  }

  /// Adds a target for each possible list of ascending, signed parameters, or returns `false` at a limit.
  private mutating func addTargets(withParametersFrom start: Int) -> Bool {
    let firstAmpersand = Self.firstIndex(in: ampersands, from: start)
    var pending = [PartialReading(start: start, nextAmpersand: firstAmpersand, parameters: [])]
    while let partial = pending.popLast() {
      let names = possibleNames(from: partial.start)
      for ampersand in partial.nextAmpersand...ampersands.count where !names.isEmpty {
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
            pending.append(PartialReading(start: end + 1, nextAmpersand: ampersand + 1, parameters: parameters))
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
