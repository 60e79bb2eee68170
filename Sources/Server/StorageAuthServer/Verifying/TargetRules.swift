// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// Rules for the bucket and the key of a request, which a middleware applies even though the signature covers them.
///
/// The services accept nearly any key, but some keys can mislead a handler that builds a path, a log line or a URL. By
/// default, such keys do not reach the handler.
public struct TargetRules: Sendable, Hashable {
  /// The kinds of bucket names and object keys that are rejected.
  public var refused: UnsafeNames
  /// The maximum size of an object key in bytes; no service allows more than 1,024.
  public var keyByteLimit: Int

  /// Creates rules; the parameters are the properties.
  public init(refusing refused: UnsafeNames = .standard, keyByteLimit: Int = 1024) {
    self.refused = refused
    self.keyByteLimit = keyByteLimit
  }

  /// The kinds of bucket names and object keys that can mislead a handler.
  public struct UnsafeNames: OptionSet, Sendable, Hashable {
    /// The bit mask that represents the kinds.
    public let rawValue: UInt

    /// Creates a set of kinds from a bit mask.
    ///
    /// - Parameter rawValue: The bit mask of the kinds.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Control characters, including NUL, DEL and U+0080 to U+009F, and line and paragraph separators.
    ///
    /// They can end a path in C, break the lines of a log, or control a terminal.
    public static let controlCharacters = UnsafeNames(rawValue: 1 << 0)

    /// A segment between slashes or backslashes that has only dots and spaces, such as `..`; Windows removes these.
    public static let dotSegments = UnsafeNames(rawValue: 1 << 1)

    /// An empty bucket (`//a`), a key that starts with a slash, and two consecutive slashes.
    ///
    /// Appended to a directory, such a key is an absolute path or the path of another key.
    public static let emptySegments = UnsafeNames(rawValue: 1 << 2)

    /// A backslash, which separates directories on Windows.
    public static let backslashes = UnsafeNames(rawValue: 1 << 3)
    /// A trailing slash in an object key, as of folders: `a/` and `a` are the same name in a file system.
    public static let trailingSlashes = UnsafeNames(rawValue: 1 << 4)
    /// The default set of kinds: all kinds except trailing slashes.
    public static let standard: UnsafeNames = [.controlCharacters, .dotSegments, .emptySegments, .backslashes]
  }

  func requireSafeNames(of target: RequestTarget) throws(RequestRefusal) {
    if let bucket = target.bucket {
      if bucket.isEmpty, refused.contains(.emptySegments) { throw .invalidBucket("is empty") }
      if let problem = problem(of: bucket.string, isBucket: true) { throw .invalidBucket(problem) }
    }
    if let key = target.key {
      guard key.utf8.count <= keyByteLimit else { throw .invalidKey("has more than \(keyByteLimit) bytes") }
      if let problem = problem(of: key.string, isBucket: false) { throw .invalidKey(problem) }
    }
  }

  private func problem(of text: String, isBucket: Bool) -> String? {
    if refused.contains(.controlCharacters), text.unicodeScalars.contains(where: Self.isControl) {
      return "holds a control character or a line separator"
    }
    let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
    if refused.contains(.backslashes), text.utf8.contains(backslash) { return "holds a backslash" }
    let segments = text.utf8.split(omittingEmptySubsequences: false) { $0 == slash || $0 == backslash }
    if refused.contains(.dotSegments), segments.contains(where: { !$0.isEmpty && $0.allSatisfy(Self.isDotOrBlank) }) {
      return "has a segment of only dots or blanks"
    }
    guard !isBucket else { return nil }
    if refused.contains(.emptySegments), segments.dropLast().contains(where: \.isEmpty) {
      return "has an empty segment"
    }
    return refused.contains(.trailingSlashes) && segments.last?.isEmpty == true ? "ends with a slash" : nil
  }

  private static func isDotOrBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: " ") }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\u{0}"..<" ", "\u{7f}"..."\u{9f}", "\u{2028}"..."\u{2029}": true
    default: false
    }
  }
}
