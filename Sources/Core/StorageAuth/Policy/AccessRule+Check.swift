// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension AccessPolicy {
  /// Returns the policy's rules that have at least one action, after validating that each rule is meaningful for every
  /// provider.
  ///
  /// - Parameter isBucket: A function that returns whether a string is a valid bucket name; rules for Aspera contain
  ///   access keys instead of bucket names.
  /// - Throws: A ``PolicyError`` if no rule has an action, or a rule is invalid.
  package func checkedRules(isBucket: (String) -> Bool = isBucketName) throws(PolicyError) -> [AccessRule] {
    let rules = rules.filter { !$0.actions.isEmpty }
    guard !rules.isEmpty else {
      throw PolicyError(.empty, "The policy has no rule with an action.", remedy: "Add one.")
    }
    for rule in rules { try rule.check(isBucket: isBucket) }
    return rules
  }
}

extension AccessRule {
  fileprivate func check(isBucket: (String) -> Bool) throws(PolicyError) {
    guard isBucket(bucket) else {
      throw PolicyError(
        .invalidBucket, "\"\(bucket)\" is not the name of a bucket.",
        remedy: "Use 3 to 63 lower-case letters, digits and hyphens.")
    }
    if addresses?.isEmpty == true { throw invalid("has an empty list of addresses", "Leave the list out, or fill it.") }
    if case .key("") = objects { throw invalid("applies to the empty key", "Use a prefix, or all keys.") }
    guard actions.contains(.write) else { return }
    if let maximumSize, maximumSize < 0 { throw invalid("has a negative size", "Use 0 or more.") }
    guard let contentTypes else { return }
    if contentTypes.isEmpty { throw invalid("has an empty list of media types", "Leave the list out, or fill it.") }
    for type in contentTypes where !Self.isMediaType(type) {
      throw invalid(
        "has the invalid media type \"\(type)\"", "Use a type such as image/png, or image/* for all images.")
    }
  }

  private func invalid(_ problem: String, _ remedy: String) -> PolicyError {
    PolicyError(.invalidRule, "A rule for the bucket \"\(bucket)\" \(problem).", remedy: remedy)
  }

  /// Returns whether a string is a media type (RFC 6838, section 4.2), or a pattern of a type and an asterisk, such as
  /// `image/*`.
  static func isMediaType(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    func isToken(_ part: Substring.UTF8View) -> Bool { !part.isEmpty && part.allSatisfy { isTokenByte($0) } }
    return parts.count == 2 && isToken(parts[0]) && (isToken(parts[1]) || parts[1].elementsEqual("*".utf8))
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$&-^_.+".utf8.contains(byte)
    }
  }
}

extension ObjectScope {
  /// Returns a pattern for the keys in the scope, in which an asterisk matches any string.
  ///
  /// - Parameter language: The name of the policy language, for the error message.
  /// - Throws: A ``PolicyError`` if a key contains characters that have a meaning in the pattern: an asterisk, a
  ///   question mark, or the start of a variable.
  package func pattern(in language: String) throws(PolicyError) -> String {
    let (text, end) =
      switch self {
      case .all: ("", "*")
      case .prefix(let prefix): (prefix, "*")
      case .key(let key): (key, "")
      }
    for special in ["*", "?", "${"] where text.containsBytes(of: special) {
      throw PolicyError(
        .unsupportedKey,
        "The key or prefix \"\(text)\" contains \"\(special)\", which \(language) cannot express.",
        remedy: "Choose other names for the objects, or allow the folder that they are in.")
    }
    return text + end
  }
}
