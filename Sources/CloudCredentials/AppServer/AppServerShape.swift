public import StorageAuth
internal import StorageJSON

/// How an app server writes credentials.
public struct AppServerShape: Sendable {
  enum Kind: Sendable {
    case documents([AppServerDocument])
    case custom(@Sendable ([UInt8]) throws -> AccessKey)
  }

  let kind: Kind

  /// The shape of any service that is known, whichever the answer has.
  public static let automatic = AppServerShape(kind: .documents(known))

  /// The documents of every service; the last one is that of an answer that none recognizes.
  static let known: [AppServerDocument] = [.s3, .oss, .cos]

  private init(kind: Kind) {
    self.kind = kind
  }

  init(_ document: AppServerDocument) {
    self.init(kind: .documents([document]))
  }

  /// A shape of one's own.
  ///
  /// - Parameter decode: Reads the body of an answer with a status of success. What it throws is passed on if it is a
  ///   `CredentialError`; anything else counts as a malformed answer, and its text is not shown.
  public static func custom(_ decode: @escaping @Sendable ([UInt8]) throws -> AccessKey) -> AppServerShape {
    AppServerShape(kind: .custom(decode))
  }
}

/// A document in which an app server hands a key out, in the form of one service.
struct AppServerDocument: Sendable {
  /// Returns whether an object has the form.
  let recognizes: @Sendable (JSONObject) -> Bool

  /// Reads the key.
  let issued: @Sendable (AppServerAnswer, JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey>

  /// Reads the reason why there is none; `nil` if the object has no refusal.
  let refusal: @Sendable (AppServerAnswer, JSONObject) -> ServiceRefusal?
}
