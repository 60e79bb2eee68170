public import StorageAuth

/// How an app server writes credentials.
public struct AppServerShape: Sendable {
  enum Kind: Sendable {
    case automatic, oss, cos
    case custom(@Sendable ([UInt8]) throws -> AccessKey)
  }

  let kind: Kind

  /// The shape of OSS or that of COS, whichever the answer has.
  public static let automatic = AppServerShape(kind: .automatic)

  /// The shape of the OSS documents (`distribute-token.json`): `StatusCode`, `AccessKeyId`, `AccessKeySecret`,
  /// `SecurityToken`, `Expiration`.
  public static let oss = AppServerShape(kind: .oss)

  /// The shapes of the COS documents: `credentials` or `Credentials`, bare or inside `data` or `Response`, with
  /// `startTime` and `expiredTime`.
  public static let cos = AppServerShape(kind: .cos)

  /// A shape of one's own.
  ///
  /// - Parameter decode: Reads the body of an answer with a status of success. What it throws is passed on if it is a
  ///   `CredentialError`; anything else counts as a malformed answer, and its text is not shown.
  public static func custom(_ decode: @escaping @Sendable ([UInt8]) throws -> AccessKey) -> AppServerShape {
    AppServerShape(kind: .custom(decode))
  }
}
