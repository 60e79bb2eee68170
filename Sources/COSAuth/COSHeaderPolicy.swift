internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// Which headers of a request a COS signature covers.
///
/// The service checks what is listed and, in its strict mode, that everything that matters is listed. The standard
/// policy lists all of that.
public struct COSHeaderPolicy: Sendable, Hashable {
  private enum Value: Hashable {
    case standard
    case only(Set<String>)
  }

  private let value: Value

  /// Whether the host is signed; without it a signature also opens another bucket of the same account.
  public let signsHost: Bool

  /// The headers that the vendor's current SDKs sign, the host included: `cache-control`, `content-disposition`,
  /// `content-encoding`, `content-length`, `content-md5`, `content-type`, `expect`, `expires`, the `if-` headers,
  /// `origin`, `range`, `transfer-encoding`, `pic-operations`, and all that start with `x-cos-` or `x-ci-`.
  public static let standard = COSHeaderPolicy(value: .standard, signsHost: true)

  /// The standard headers without the host, for a host that reaches COS through a CDN.
  public static let standardWithoutHost = COSHeaderPolicy(value: .standard, signsHost: false)

  /// Only the named headers, where a request has them; `host` is a name as any other.
  public static func only(_ names: Set<String>) -> COSHeaderPolicy {
    let names = Set(names.map { $0.asciiLowercased })
    return COSHeaderPolicy(value: .only(names), signsHost: names.contains("host"))
  }

  /// Whether everything that COS looks for in its strict mode is signed.
  var isComplete: Bool { value == .standard && signsHost }

  /// Whether a field is signed; its name is in lower case.
  func signs(_ name: String) -> Bool {
    switch value {
    case .standard: Self.isStandard(name)
    case .only(let names): names.contains(name)
    }
  }

  /// Whether a field is one of the standard ones; its name is in lower case.
  static func isStandard(_ name: String) -> Bool {
    withBytes(of: name) { name in
      hasEffectPrefix(name) || standardNames.contains(name)
    }
  }

  /// Whether a name is one that COS or its data processing acts on: `x-cos-` or `x-ci-`, in lower case.
  static func hasEffectPrefix(_ name: Span<UInt8>) -> Bool {
    name.starts(with: "x-cos-") || name.starts(with: "x-ci-")
  }

  private static let standardNames = NameTable(
    """
    cache-control content-disposition content-encoding content-length content-md5 content-type expect expires if-match
    if-modified-since if-none-match if-unmodified-since origin range transfer-encoding pic-operations
    """.split { $0 == " " || $0 == "\n" }.map(String.init))
}
