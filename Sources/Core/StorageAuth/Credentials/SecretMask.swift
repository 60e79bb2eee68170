// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A mask that replaces known secrets in strings to be displayed; the only implementation of masking by value.
///
/// All secrets are searched for in one pass over the original string, each in clear text and percent-encoded once or
/// twice (Aho and Corasick, "Efficient string matching", 1975). The time to create a mask is linear in the lengths of
/// the secrets, and the time to apply it is linear in the length of the string. An inserted mask is never searched for
/// another secret. Overlapping occurrences become one mask.
///
/// The mask must only contain values that are known to be secret: an untrusted client whose values it contained would
/// choose what is masked. Such a client's values are masked by the names of their headers and parameters (``SecretName``).
package struct SecretMask: Sendable {
  /// The minimum length, in bytes, of a secret that is masked; masks for shorter values would reveal where they occur.
  package static let minimumByteCount = 4

  private let automaton: SecretAutomaton
  private let masksNamedValues: Bool

  /// Creates a mask that replaces the given secrets and, optionally, values with secret names.
  ///
  /// Each line of a multiline secret is masked, and so is the part of an authorization after `Basic` or `Bearer`;
  /// spaces and tabs around these values are ignored. Values with names are those in header lines (`name:value`) and
  /// parameters (`name=value`), in the format of canonical requests and strings to sign.
  package init(_ secrets: some Sequence<Secret>, masksNamedValues: Bool = false) {
    automaton = SecretAutomaton(secrets)
    self.masksNamedValues = masksNamedValues
  }

  /// A mask that replaces only the values of headers and parameters with secret names.
  package static let namedValues = SecretMask([], masksNamedValues: true)

  /// Returns a text with the mask in place of each secret.
  package func applied(to text: String) -> String {
    withBytes(of: text) { bytes in
      let secretRanges = automaton.ranges(in: bytes)
      let ranges = masksNamedValues ? Self.union(of: secretRanges, SecretName.values(in: bytes)) : secretRanges
      guard !ranges.isEmpty else { return text }
      return String(writing: { writer in
        var copiedEnd = 0
        for range in ranges {
          writer.append(bytes.extracting(copiedEnd..<range.lowerBound))
          writer.append(Secret.mask)
          copiedEnd = range.upperBound
        }
        writer.append(bytes.extracting(copiedEnd..<bytes.count))
      })
    }
  }

  /// Returns the union of two sorted lists, each without overlapping ranges, as such a list.
  private static func union(of first: [Range<Int>], _ second: [Range<Int>]) -> [Range<Int>] {
    (first + second).sorted { $0.upperBound < $1.upperBound }.reduce(into: []) { $0.appendMerging($1) }
  }
}

extension SecretMask: Redacted {
  package var description: String { "SecretMask" }
}

/// An Aho-Corasick automaton, which is a trie with a fallback node for each node, that finds secrets in a string.
///
/// The automaton is stored as one array per property of a node; node 0 is the root.
struct SecretAutomaton: Sendable {
  /// The byte that leads from a node's parent to the node.
  private var nodeByte: [UInt8] = [0]
  /// The child of the root for each byte, because most bytes of a string are looked up there; 0 stands for none.
  private var rootChild = [Int32](repeating: 0, count: 256)
  /// The first child of each node, and the next child of the same parent; 0 stands for none.
  private var firstChild: [Int32] = [0]
  private var nextSibling: [Int32] = [0]
  /// The node of the longest proper suffix that the trie contains.
  private var fallbackNode: [Int32] = [0]
  private var depth: [Int32] = [0]
  /// The length of the longest pattern that ends at each node.
  private var longestPatternLength: [Int32] = [0]

  init(_ secrets: some Sequence<Secret>) {
    for secret in secrets { secret.bytes.withBytes { insert(partsOf: $0) } }
    setFallbackNodes()
  }

  /// Inserts the parts of a secret that must not be shown: its lines, and the values after `Basic` or `Bearer`.
  private mutating func insert(partsOf secret: Span<UInt8>) {
    var start = 0
    for end in 0...secret.count
    where end == secret.count || secret[end] == UInt8(ascii: "\n") || secret[end] == UInt8(ascii: "\r") {
      let line = Self.trimmingBlanks(start..<end, of: secret)
      insert(spellingsOf: secret.extracting(line))
      for scheme in ["basic ", "bearer "] where Self.startsIgnoringCase(secret.extracting(line), with: scheme) {
        let credentials = Self.trimmingBlanks(line.lowerBound + scheme.utf8.count..<line.upperBound, of: secret)
        insert(spellingsOf: secret.extracting(credentials))
      }
      start = end + 1
    }
  }

  private static func trimmingBlanks(_ range: Range<Int>, of bytes: Span<UInt8>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\t") { start += 1 }
    while start < end, bytes[end - 1] == UInt8(ascii: " ") || bytes[end - 1] == UInt8(ascii: "\t") { end -= 1 }
    return start..<end
  }

  private static func startsIgnoringCase(_ bytes: Span<UInt8>, with prefix: String) -> Bool {
    guard bytes.count >= prefix.utf8.count else { return false }
    for (index, byte) in prefix.utf8.enumerated() where asciiLowercased(bytes[index]) != byte { return false }
    return true
  }

  /// Inserts a value in clear text, and percent-encoded once or twice with capital or small hexadecimal digits.
  private mutating func insert(spellingsOf secret: Span<UInt8>) {
    guard secret.count >= SecretMask.minimumByteCount else { return }
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
      if let existing = child(of: node, at: pattern[index]) {
        node = existing
        continue
      }
      nodeByte.append(pattern[index])
      firstChild.append(0)
      nextSibling.append(firstChild[node])
      fallbackNode.append(0)
      depth.append(depth[node] + 1)
      longestPatternLength.append(0)
      firstChild[node] = Int32(nodeByte.count - 1)
      if node == 0 { rootChild[Int(pattern[index])] = firstChild[node] }
      node = nodeByte.count - 1
    }
    longestPatternLength[node] = depth[node]
  }

  private func child(of node: Int, at byte: UInt8) -> Int? {
    if node == 0 { return rootChild[Int(byte)] == 0 ? nil : Int(rootChild[Int(byte)]) }
    var next = Int(firstChild[node])
    while next != 0 {
      if nodeByte[next] == byte { return next }
      next = Int(nextSibling[next])
    }
    return nil
  }

  private func nextNode(from node: Int, reading byte: UInt8) -> Int {
    var node = node
    while true {
      if let next = child(of: node, at: byte) { return next }
      if node == 0 { return 0 }
      node = Int(fallbackNode[node])
    }
  }

  /// Sets the fallback nodes, level by level.
  private mutating func setFallbackNodes() {
    var queue = [0]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      var next = Int(firstChild[node])
      while next != 0 {
        if node != 0 {
          fallbackNode[next] = Int32(nextNode(from: Int(fallbackNode[node]), reading: nodeByte[next]))
          longestPatternLength[next] = max(longestPatternLength[next], longestPatternLength[Int(fallbackNode[next])])
        }
        queue.append(next)
        next = Int(nextSibling[next])
      }
    }
  }

  /// Returns the ranges of all pattern occurrences in a text, sorted and with overlapping ranges merged.
  func ranges(in text: Span<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var node = 0
    for index in text.indices {
      node = nextNode(from: node, reading: text[index])
      guard longestPatternLength[node] > 0 else { continue }
      ranges.appendMerging(index + 1 - Int(longestPatternLength[node])..<index + 1)
    }
    return ranges
  }
}

extension [Range<Int>] {
  /// Appends a range that ends after all others, together with the ranges that it overlaps.
  fileprivate mutating func appendMerging(_ range: Range<Int>) {
    var start = range.lowerBound
    while let last, last.upperBound > start {
      start = Swift.min(start, last.lowerBound)
      removeLast()
    }
    append(start..<range.upperBound)
  }
}
