// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

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
  package static let minimumByteCount = 4

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
    var automaton = SecretAutomaton()
    for secret in secrets { secret.bytes.withBytes { automaton.insert(partsOf: $0) } }
    automaton.setFallbackNodes()
    return withBytes(of: text) { bytes in
      let secretRanges = automaton.ranges(in: bytes)
      let ranges = masksNamedValues ? merged(secretRanges, SecretName.values(in: bytes)) : secretRanges
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
///
/// The sort takes linear time, because it merges the runs that are sorted already (timsort).
private func merged(_ first: [Range<Int>], _ second: [Range<Int>]) -> [Range<Int>] {
  var result: [Range<Int>] = []
  for next in (first + second).sorted(by: { $0.lowerBound < $1.lowerBound }) {
    if let last = result.last, last.upperBound > next.lowerBound {
      result[result.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
    } else {
      result.append(next)
    }
  }
  return result
}
