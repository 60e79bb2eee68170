/// A way of signing, by the service and the version of its signature.
public enum SignatureScheme: Sendable, Hashable, CaseIterable {
  /// OSS with HMAC-SHA-1.
  case ossV1
  /// OSS with HMAC-SHA-256.
  case ossV4
  /// COS with HMAC-SHA-1.
  case cosV5

  /// The short name of the service: `oss` or `cos`.
  public var provider: String {
    switch self {
    case .ossV1, .ossV4: "oss"
    case .cosV5: "cos"
    }
  }

  /// The version of the signature: `v1`, `v4` or `v5`.
  public var version: String {
    switch self {
    case .ossV1: "v1"
    case .ossV4: "v4"
    case .cosV5: "v5"
    }
  }

  /// The scheme with these names; nothing if there is none.
  public init?(provider: String, version: String) {
    guard let scheme = Self.allCases.first(where: { $0.provider == provider && $0.version == version }) else {
      return nil
    }
    self = scheme
  }
}
