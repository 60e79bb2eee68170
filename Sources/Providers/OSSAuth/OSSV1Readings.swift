// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import StorageCrypto

/// A parser that finds every request target with a given resource in its V1 string to sign.
///
/// The resource is `/`, the bucket, `/`, the decoded key and, after a question mark, the signed parameters. The
/// parameters are decoded and sorted by name, with `&` between them. The resource does not show which question mark
/// ends the key, which `&` ends a parameter, and which `=` ends a name that starts with `x-oss-`. Each combination that
/// is the resource of a request is a reading.
package struct OSSV1Readings {
  /// The maximum numbers of readings that are returned and of combinations that are examined.
  private static let readingLimit = 128
  private static let choiceLimit = 4096

  /// The maximum length, in bytes, of a parameter name that does not start with `x-oss-`.
  private static let nameByteLimit = 64

  private let bytes: [UInt8]
  /// The positions of each `&` and of each `=` in the resource.
  private let ampersands: [Int]
  private let equalSigns: [Int]
  private let subresources = OSSSubresources()
  private var choices = 0
  private var targets: [RequestTarget] = []

  /// The bucket name and the position of its end, or `nil` if the resource does not start with a bucket name.
  private let bucket: (name: String, slash: Int)?

  private struct Parameter {
    let name: Range<Int>
    let value: Range<Int>?
  }

  /// A partially parsed parameter list, the index of its next parameter, and the number of `&` before that index.
  private struct Beginning {
    let index: Int
    let ampersand: Int
    let parameters: [Parameter]
  }

  /// Returns every target whose V1 resource is the given string.
  ///
  /// - Parameter resource: The last component of a V1 string to sign, which starts with a slash.
  /// - Returns: The targets, or `nil` if there are too many combinations to examine.
  package static func targets(ofResource resource: String) -> [RequestTarget]? {
    var readings = OSSV1Readings(resource)
    return readings.readAll() ? readings.targets : nil
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

  /// Parses the resource once with each of its question marks as the end of the key, and once without parameters.
  ///
  /// Returns `false` if there are too many combinations to examine.
  private mutating func readAll() -> Bool {
    for end in bytes.indices where bytes[end] == UInt8(ascii: "?") && isPath(endingAt: end) {
      guard readParameters(from: end + 1) else { return false }
    }
    if isPath(endingAt: bytes.count) { add([], endingAt: bytes.count) }
    return targets.count <= Self.readingLimit
  }

  /// Returns whether the bytes before an index are `/`, or a slash, a bucket name, a slash and a key.
  private func isPath(endingAt end: Int) -> Bool {
    guard bytes.first == UInt8(ascii: "/") else { return false }
    return end == 1 || bucket.map { $0.slash < end } ?? false
  }

  /// Parses the parameters after a question mark in every possible way.
  ///
  /// The names must be in ascending order, and V1 must sign each of them.
  private mutating func readParameters(from start: Int) -> Bool {
    let first = Self.firstIndex(in: ampersands, from: start)
    var pending = [Beginning(index: start, ampersand: first, parameters: [])]
    while let beginning = pending.popLast() {
      let names = names(from: beginning.index)
      for ampersand in beginning.ampersand...ampersands.count where !names.isEmpty {
        let end = ampersand < ampersands.count ? ampersands[ampersand] : bytes.count
        for name in names where name.upperBound <= end {
          choices += 1
          guard choices <= Self.choiceLimit, targets.count <= Self.readingLimit else { return false }
          guard let parameter = parameter(name, endingAt: end), ascends(parameter, after: beginning.parameters.last)
          else { continue }
          let parameters = beginning.parameters + [parameter]
          if end == bytes.count {
            add(parameters, endingAt: start - 1)
          } else {
            pending.append(Beginning(index: end + 1, ampersand: ampersand + 1, parameters: parameters))
          }
        }
      }
    }
    return true
  }

  /// Returns the possible name ranges of a parameter that starts at an index, each up to a separator or the end.
  ///
  /// Only a name that starts with `x-oss-` can contain a separator.
  private func names(from start: Int) -> [Range<Int>] {
    let prefix = "x-oss-"
    if bytes[start...].starts(with: prefix.utf8) {
      let ends = [ampersands, equalSigns].flatMap {
        $0[Self.firstIndex(in: $0, from: start + prefix.utf8.count)...].prefix(Self.choiceLimit)
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
  private static func firstIndex(in marks: [Int], from location: Int) -> Int {
    var (lower, upper) = (0, marks.count)
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      if marks[middle] < location { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  /// Returns a parameter with the given name range, and with the value between an `=` after the name and `end`.
  ///
  /// The value is `nil` if the name ends at `end`.
  private func parameter(_ name: Range<Int>, endingAt end: Int) -> Parameter? {
    if name.upperBound == end { return Parameter(name: name, value: nil) }
    guard bytes[name.upperBound] == UInt8(ascii: "="), name.upperBound + 1 < end else { return nil }
    return Parameter(name: name, value: (name.upperBound + 1)..<end)
  }

  private func ascends(_ parameter: Parameter, after last: Parameter?) -> Bool {
    last.map { bytes[$0.name].lexicographicallyPrecedes(bytes[parameter.name]) } ?? true
  }

  private mutating func add(_ parameters: [Parameter], endingAt end: Int) {
    var name: String?
    var key: String?
    if let bucket, end > bucket.slash {
      name = bucket.name
      if bucket.slash + 1 < end { key = text((bucket.slash + 1)..<end) }
    }
    targets.append(
      RequestTarget(
        bucket: name, key: key,
        parameters: parameters.map { .init(name: text($0.name), value: $0.value.map(text)) }))
  }

  /// Returns a part of the resource as a string.
  ///
  /// The part starts and ends next to ASCII characters of a valid string, and is therefore valid UTF-8.
  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }
}
