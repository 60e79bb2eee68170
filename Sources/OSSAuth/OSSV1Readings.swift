// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import StorageCrypto

/// Every target that the resource of a V1 string to sign stands for.
///
/// The resource is `/`, the bucket, `/`, the decoded key and, after a question mark, the signed parameters, decoded and
/// in the order of their names, with `&` between them. It does not show which question mark ends the key, which `&`
/// ends a parameter, and which `=` ends a name that starts with `x-oss-`. Each choice that is the resource of a request
/// is a reading.
package struct OSSV1Readings {
  /// The limits of the readings that are returned, and of the choices that are examined.
  private static let readingLimit = 128
  private static let choiceLimit = 4096

  /// The greatest length in bytes of a name that does not start with `x-oss-`.
  private static let nameByteLimit = 64

  private let bytes: [UInt8]
  /// The positions of each `&` and each `=`.
  private let ampersands: [Int]
  private let equalSigns: [Int]
  private let subresources = OSSSubresources()
  private var choices = 0
  private var targets: [RequestTarget] = []

  /// The bucket and the position of its end, if the string starts with one.
  private let bucket: (name: String, slash: Int)?

  private struct Parameter {
    let name: Range<Int>
    let value: Range<Int>?
  }

  /// A list of parameters that continues at an index, and the number of `&` before that index.
  private struct Beginning {
    let index: Int
    let ampersand: Int
    let parameters: [Parameter]
  }

  /// Returns every target whose V1 resource is the string.
  ///
  /// - Parameter resource: The last part of a string to sign, from its slash on.
  /// - Returns: The targets, or `nil` if there are too many to examine.
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

  /// Parses the string with each of its question marks as the end of the key, and with none.
  private mutating func readAll() -> Bool {
    for end in bytes.indices where bytes[end] == UInt8(ascii: "?") && isPath(endingAt: end) {
      guard readParameters(from: end + 1) else { return false }
    }
    if isPath(endingAt: bytes.count) { add([], endingAt: bytes.count) }
    return targets.count <= Self.readingLimit
  }

  /// Returns whether the string before an index is `/`, or a bucket and a key after slashes.
  private func isPath(endingAt end: Int) -> Bool {
    guard bytes.first == UInt8(ascii: "/") else { return false }
    return end == 1 || bucket.map { $0.slash < end } ?? false
  }

  /// Parses the parameters after a question mark in every way; names ascend, and V1 signs each of them.
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

  /// Returns the possible names of a parameter that begins at an index, each up to a separator or the end.
  ///
  /// Only a name that starts with `x-oss-` can itself contain a separator.
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

  /// Returns the index of the first of the ascending marks that is at or after a position.
  private static func firstIndex(in marks: [Int], from place: Int) -> Int {
    var (lower, upper) = (0, marks.count)
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      if marks[middle] < place { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  /// Returns the parameter with a name that ends at an index: only the name, or with a value after an `=`.
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

  /// Returns a part that begins and ends at an ASCII character of a valid string, and is therefore valid UTF-8.
  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }
}
