public import StorageAuth

/// A signer of one service's strings, and the source of its key.
///
/// ```swift
/// let oss = SigningAccount(OSSStringSigner(region: "cn-hangzhou"), credentials: CredentialCache(.alibabaDefault))
/// ```
public struct SigningAccount: Sendable {
  /// Reads the strings and signs them.
  public let signer: any StringSigner

  let credentials: any CredentialProvider<AccessKey>

  /// Creates a signer with its key.
  ///
  /// - Parameters:
  ///   - signer: Reads the strings and signs them.
  ///   - credentials: Where the key comes from that signs; put a source that is slow into a `CredentialCache`.
  public init(_ signer: some StringSigner, credentials: some CredentialProvider<AccessKey>) {
    self.signer = signer
    self.credentials = credentials
  }
}
