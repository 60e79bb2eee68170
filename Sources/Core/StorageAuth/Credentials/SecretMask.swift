// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto
internal import Synchronization

/// A mask that replaces known secrets in strings to be displayed; the only implementation of masking by value.
///
/// All secrets are searched for in one pass over the original string, each in clear text and percent-encoded once or
/// twice (Aho and Corasick, "Efficient string matching", 1975). The time is linear in the lengths of the secrets and
/// the string, and an inserted mask is never searched for another secret. Overlapping occurrences become one mask.
///
/// The mask must only contain values that are known to be secret. If it contained values from an untrusted client, this
/// client would choose what is masked. Values that an untrusted client sent are masked by name: a header or parameter
/// value is masked if its name is secret according to ``SecretName``.
package struct SecretMask: Sendable {
  /// The minimum length, in bytes, of a secret that is masked.
  ///
  /// Masking a shorter value would make the string unreadable, and reveal where the value occurs.
  package static let shortestSecret = 4

  private let secrets: [Secret]
  private let masksNamedValues: Bool

  /// Creates a mask that replaces the given secrets and, optionally, values with secret names.
  ///
  /// Each line of a multiline secret is masked, and so is the part of an authorization after `Basic` or `Bearer`;
  /// spaces and tabs around these values are ignored. Values with names are those in header lines (`name:value`) and
  /// parameters (`name=value`), in the format of canonical requests and strings to sign.
  package init(_ secrets: some Sequence<Secret>, masksNamedValues: Bool = false) {
    self.secrets = Array(secrets)
    self.masksNamedValues = masksNamedValues
  }

  /// A mask that replaces only the values of headers and parameters with secret names.
  package static let namedValues = SecretMask([], masksNamedValues: true)

  /// Returns a copy of a string in which each occurrence of a secret is replaced with ``Secret/mask``.
  package func applied(to text: String) -> String {
    var automaton = Automaton()
    for secret in secrets { secret.bytes.withBytes { automaton.insert(partsOf: $0) } }
    automaton.link()
    return withBytes(of: text) { bytes in
      let known = automaton.ranges(in: bytes)
      let ranges = masksNamedValues ? merged(known, SecretName.values(in: bytes)) : known
      guard !ranges.isEmpty else { return text }
      return String(writing: { writer in
        var start = 0
        for range in ranges {
          writer.append(bytes.extracting(start..<range.lowerBound))
          writer.append(Secret.mask)
          start = range.upperBound
        }
        writer.append(bytes.extracting(start..<bytes.count))
      })
    }
  }
}

/// Returns the union of two lists of ranges, which are sorted and free of overlaps, as the result is.
private func merged(_ first: [Range<Int>], _ second: [Range<Int>]) -> [Range<Int>] {
  var result: [Range<Int>] = []
  var (i, j) = (0, 0)
  while i < first.count || j < second.count {
    let takesFirst = j == second.count || i < first.count && first[i].lowerBound <= second[j].lowerBound
    let next = takesFirst ? first[i] : second[j]
    if takesFirst { i += 1 } else { j += 1 }
    if let last = result.last, last.upperBound > next.lowerBound {
      result[result.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
    } else {
      result.append(next)
    }
  }
  return result
}

/// An Aho-Corasick automaton, which is a trie with fallback links, that finds secrets in a string.
///
/// The automaton is stored as one array per property of a node; node 0 is the root.
private struct Automaton {
  private var byte: [UInt8] = [0]
  private var child: [Int32] = [0]
  private var sibling: [Int32] = [0]
  private var fallback: [Int32] = [0]
  private var depth: [Int32] = [0]
  /// The length of the longest pattern that ends at each node.
  private var longest: [Int32] = [0]

  /// Inserts the parts of a secret that must not be shown: its lines, and the values after `Basic` or `Bearer`.
  mutating func insert(partsOf secret: Span<UInt8>) {
    var start = 0
    for end in 0...secret.count
    where end == secret.count || secret[end] == UInt8(ascii: "\n") || secret[end] == UInt8(ascii: "\r") {
      let line = Self.trimmed(start..<end, of: secret)
      insert(spellingsOf: secret.extracting(line))
      for scheme in ["basic ", "bearer "] where Self.starts(secret.extracting(line), with: scheme) {
        let rest = Self.trimmed(line.lowerBound + scheme.utf8.count..<line.upperBound, of: secret)
        insert(spellingsOf: secret.extracting(rest))
      }
      start = end + 1
    }
  }

  private static func trimmed(_ range: Range<Int>, of bytes: Span<UInt8>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\t") { start += 1 }
    while start < end, bytes[end - 1] == UInt8(ascii: " ") || bytes[end - 1] == UInt8(ascii: "\t") { end -= 1 }
    return start..<end
  }

  private static func starts(_ bytes: Span<UInt8>, with prefix: String) -> Bool {
    guard bytes.count >= prefix.utf8.count else { return false }
    for (index, byte) in prefix.utf8.enumerated() where asciiLowercased(bytes[index]) != byte { return false }
    return true
  }

  private mutating func insert(spellingsOf secret: Span<UInt8>) {
    guard secret.count >= SecretMask.shortestSecret else { return }
    insert(secret)
    var once = [UInt8](writing: { $0.append(percentEncoding: secret) })
    once.withElements { insert(encodedOnce: $0) }
    for index in once.indices where once[index] == UInt8(ascii: "%") {
      for digit in index + 1...index + 2 { once[digit] = asciiLowercased(once[digit]) }
    }
    once.withElements { insert(encodedOnce: $0) }
    wipe(&once)
  }

  private mutating func insert(encodedOnce once: Span<UInt8>) {
    insert(once)
    var twice = [UInt8](writing: { $0.append(percentEncoding: once) })
    twice.withElements { insert($0) }
    wipe(&twice)
  }

  private mutating func insert(_ pattern: Span<UInt8>) {
    var node = 0
    for index in pattern.indices {
      if let next = next(of: node, pattern[index]) {
        node = next
        continue
      }
      byte.append(pattern[index])
      child.append(0)
      sibling.append(child[node])
      fallback.append(0)
      depth.append(depth[node] + 1)
      longest.append(0)
      child[node] = Int32(byte.count - 1)
      node = byte.count - 1
    }
    longest[node] = depth[node]
  }

  private func next(of node: Int, _ wanted: UInt8) -> Int? {
    var next = Int(child[node])
    while next != 0 {
      if byte[next] == wanted { return next }
      next = Int(sibling[next])
    }
    return nil
  }

  /// Returns the automaton's next node after reading a byte, following fallback links.
  private func step(from node: Int, _ wanted: UInt8) -> Int {
    var node = node
    while true {
      if let next = next(of: node, wanted) { return next }
      if node == 0 { return 0 }
      node = Int(fallback[node])
    }
  }

  mutating func link() {
    var queue = [0]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      var next = Int(child[node])
      while next != 0 {
        if node != 0 {
          fallback[next] = Int32(step(from: Int(fallback[node]), byte[next]))
          longest[next] = max(longest[next], longest[Int(fallback[next])])
        }
        queue.append(next)
        next = Int(sibling[next])
      }
    }
  }

  /// Returns the ranges of all pattern occurrences in a text, sorted and with overlapping ranges merged.
  func ranges(in text: Span<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var node = 0
    for index in text.indices {
      node = step(from: node, text[index])
      guard longest[node] > 0 else { continue }
      var start = index + 1 - Int(longest[node])
      while let last = ranges.last, last.upperBound > start {
        start = min(start, last.lowerBound)
        ranges.removeLast()
      }
      ranges.append(start..<index + 1)
    }
    return ranges
  }
}

/// A rule for the names of headers, parameters and form fields whose values must not be shown.
///
/// Such values are session tokens, signatures and passwords. A rule also covers names of providers that this package
/// does not know: every name is secret that contains `token`, `signature`, `secret`, `password`, `credential` or
/// `authorization`, regardless of case. Names that only describe such a value are exempt: the version, the method and
/// the nonce of a signature, the continuation token of a list, and the `…-credential` parameter, which contains a key's
/// ID and a signature's scope.
///
/// A provider whose secrets have other names declares these names once:
///
/// ```swift
/// SecretName.declare("x-acme-pin")
/// ```
public enum SecretName {
  private static let declared = Mutex<Set<String>>(["sign"])

  /// Declares additional names whose values must not be shown, for the whole process.
  ///
  /// - Parameter names: The names of headers, parameters or form fields, which are compared case-insensitively.
  public static func declare(_ names: String...) {
    declared.withLock { $0.formUnion(names.map(\.asciiLowercased)) }
  }

  /// Returns whether the header or parameter with a name contains a session token.
  package static func isToken(_ name: some StringProtocol) -> Bool {
    withBytes(of: name.asciiLowercased) { words(of: $0).contains(.token) }
  }

  /// Returns whether the header or parameter with a name contains a value that must not be shown.
  package static func isSecret(_ name: some StringProtocol) -> Bool {
    let text = name.asciiLowercased
    return withBytes(of: text) { !words(of: $0).isEmpty } || declared.withLock { $0.contains(text) }
  }

  private struct Words: OptionSet {
    let rawValue: UInt8
    static let token = Words(rawValue: 1)
    static let other = Words(rawValue: 2)
  }

  private static let harmlessEnds: [StaticString] = [
    "continuation-token", "continuationtoken", "-credential", "signature-version", "signatureversion",
    "signature-method", "signaturemethod", "signature-nonce", "signaturenonce",
  ]

  private static func words(of name: Span<UInt8>) -> Words {
    if harmlessEnds.contains(where: { end in
      name.count >= end.utf8CodeUnitCount && name.extracting((name.count - end.utf8CodeUnitCount)...).starts(with: end)
    }) {
      return []
    }
    var words: Words = []
    for index in name.indices {
      let rest = name.extracting(index...)
      switch name[index] {
      case UInt8(ascii: "t") where rest.starts(with: "token"): words.insert(.token)
      case UInt8(ascii: "s") where rest.starts(with: "signature") || rest.starts(with: "secret"): words.insert(.other)
      case UInt8(ascii: "p") where rest.starts(with: "password"): words.insert(.other)
      case UInt8(ascii: "c") where rest.starts(with: "credential"): words.insert(.other)
      case UInt8(ascii: "a") where rest.starts(with: "authorization"): words.insert(.other)
      default: break
      }
    }
    return words
  }

  /// The maximum number of bytes of a name that are examined; of a longer name, only the last bytes are examined.
  private static let longestName = 128

  /// Returns the ranges of values with secret names in a canonical request or a string to sign, in order.
  ///
  /// A value follows `name:` up to the end of the line, or `name=` up to the end of the line or the next `&`.
  static func values(in text: Span<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var nameStart = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "&"), UInt8(ascii: "?"), UInt8(ascii: ";"), UInt8(ascii: " "):
        nameStart = index + 1
      case UInt8(ascii: ":"), UInt8(ascii: "="):
        let start = index + 1
        if start - nameStart > 4, isSecret(text.extracting(max(nameStart, index - longestName)..<index)) {
          var end = start
          while end < text.count, text[end] != UInt8(ascii: "\n"),
            byte == UInt8(ascii: ":") || text[end] != UInt8(ascii: "&")
          { end += 1 }
          if end > start { ranges.append(start..<end) }
          index = end - 1
        }
        nameStart = index + 1
      default: break
      }
      index += 1
    }
    return ranges
  }

  private static func isSecret(_ name: Span<UInt8>) -> Bool {
    let name = String(writing: { $0.append(name) })
    return isSecret(name.percentDecodedBytes().map { String(decoding: $0, as: UTF8.self) } ?? name)
  }
}
