// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The parts of a string that a signature covers.
public struct SignedParts: Sendable {
  /// The signature version of the string, if the service has several with similar formats.
  let version: String?
  /// The parts in the order of the string, each once.
  private(set) var parts: [SignedPart] = []
  /// The values of each part; several for a repeated parameter.
  private(set) var values: [SignedPart: [String]] = [:]

  /// Creates an empty collection of parts.
  ///
  /// - Parameter version: The signature version of the string, if the service has several.
  public init(version: String? = nil) {
    self.version = version
  }

  /// The first value of a part, or `nil` if the part is absent.
  subscript(_ part: SignedPart) -> String? { values[part]?.first }

  /// Adds a value.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - value: The value.
  ///   - isLine: Whether the string always contains the line, so that an empty line stands for an absent value.
  public mutating func add(_ part: SignedPart, _ value: String, isLine: Bool = false) {
    if isLine, value.isEmpty { return }
    if values[part] == nil { parts.append(part) }
    values[part, default: []].append(value)
  }

  /// Adds all parts of another string.
  mutating func add(_ other: SignedParts) {
    for part in other.parts { for value in other.values[part] ?? [] { add(part, value) } }
  }

  /// Returns the parts without one of them.
  func without(_ part: SignedPart) -> SignedParts {
    var copy = self
    copy.parts.removeAll { $0 == part }
    copy.values[part] = nil
    return copy
  }

  /// Adds the parameters of a query.
  public mutating func add(query: String) {
    for item in query.cut(at: "&") where !item.isEmpty {
      let (name, value) = item.cutOnce(at: "=")
      add(.parameter(name.unescaped ?? name), value ?? "")
    }
  }

  /// Parses a string to sign of four lines: algorithm, time, scope, and the hash of the canonical request.
  ///
  /// - Parameters:
  ///   - text: The string to sign.
  ///   - algorithm: The prefix of the first line.
  ///   - version: The signature version.
  init?(scopedStringToSign text: String, algorithm: String, version: String? = nil) {
    let lines = text.lines
    guard lines.count >= 4, lines[0].hasBytePrefix(algorithm) else { return nil }
    self.init(version: version)
    add(.algorithm, lines[0])
    add(.signingTime, lines[1])
    let scope = lines[2].cut(at: "/")
    guard scope.count == 4 else { return nil }
    add(.scopeDay, scope[0])
    add(.scopeRegion, scope[1])
    add(.scopeProduct, scope[2])
    add(.requestHash, lines[3])
  }

  /// Parses a canonical request.
  ///
  /// Its lines are the method, the path, the query, one line for each header, an empty line, a list of headers and the
  /// hash of the body.
  ///
  /// - Parameters:
  ///   - text: The canonical request.
  ///   - list: The part that the list of headers becomes.
  ///   - version: The signature version.
  init?(canonicalRequest text: String, list: SignedPart, version: String? = nil) {
    let lines = text.lines
    guard lines.count >= 6 else { return nil }
    self.init(version: version)
    add(.method, lines[0])
    add(.path, lines[1])
    add(query: lines[2])
    var index = 3
    while index < lines.count, !lines[index].isEmpty {
      let (name, value) = lines[index].cutOnce(at: ":")
      add(.header(name), value ?? "")
      index += 1
    }
    add(list, index + 1 < lines.count ? lines[index + 1] : "", isLine: true)
    add(.payloadHash, index + 2 < lines.count ? lines[index + 2] : "", isLine: true)
  }
}

extension SignedParts: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of parts, without values, which may be tokens.
  public var description: String { "SignedParts(\(parts.count) parts)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
