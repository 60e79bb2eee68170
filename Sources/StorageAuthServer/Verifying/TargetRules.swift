internal import StorageAuth

/// What a middleware refuses in the bucket and the key of a request, although the signature covers it.
///
/// The services store an object under nearly any text. A handler that makes a path, a line of a log or a URL of a key is
/// led elsewhere by some of them, so that by default they do not reach it.
public struct TargetRules: Sendable, Hashable {
  /// What is refused.
  public var refused: Hazards

  /// The most bytes of a key in UTF-8; no service allows more than 1,024.
  public var keyByteCount: Int

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - refused: What is refused.
  ///   - keyByteCount: The most bytes of a key in UTF-8.
  public init(refusing refused: Hazards = .standard, keyByteCount: Int = 1024) {
    self.refused = refused
    self.keyByteCount = keyByteCount
  }

  /// Kinds of buckets and keys that lead a handler elsewhere.
  public struct Hazards: OptionSet, Sendable, Hashable {
    /// The bits of the kinds.
    public let rawValue: UInt

    /// Creates a set of the kinds whose bits are set.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// NUL, which ends a path in C; the other control characters, DEL and U+0080 to U+009F included, and the line and
    /// paragraph separators, which break the lines of a log or drive a terminal.
    public static let controlCharacters = Hazards(rawValue: 1 << 0)

    /// A segment between slashes that is `.` or `..`, or consists of dots and blanks alone, which Windows drops; a
    /// backslash counts as a slash.
    public static let dotSegments = Hazards(rawValue: 1 << 1)

    /// An empty bucket (`//a`), a key that starts with a slash, and two slashes in a row.
    ///
    /// Joined to a folder, such a key is an absolute path or that of another key. A slash at the end, as keys that stand for folders have it, is let through.
    public static let emptySegments = Hazards(rawValue: 1 << 2)

    /// A backslash, which separates folders on Windows.
    public static let backslashes = Hazards(rawValue: 1 << 3)

    /// A slash at the end of a key: for a file system `a/` and `a` are one name.
    public static let trailingSlashes = Hazards(rawValue: 1 << 4)

    /// Everything but a slash at the end.
    public static let standard: Hazards = [.controlCharacters, .dotSegments, .emptySegments, .backslashes]
  }

  /// Refuses a target that breaks a rule.
  func check(_ target: RequestTarget) throws(RequestRefusal) {
    if let bucket = target.bucket {
      if bucket.isEmpty, refused.contains(.emptySegments) { throw .invalidBucket("is empty") }
      if let problem = problem(of: bucket.string, isBucket: true) { throw .invalidBucket(problem) }
    }
    if let key = target.key {
      guard key.utf8.count <= keyByteCount else { throw .invalidKey("has more than \(keyByteCount) bytes") }
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
      return "has a segment of dots or blanks alone"
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
