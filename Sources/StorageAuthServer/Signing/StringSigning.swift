public import StorageAuth

/// A signer of one service's strings, and the source of its key.
///
/// ```swift
/// let oss = StringSigning(OSSStringSigner(region: "cn-hangzhou"), keys: CredentialCache(.alibabaDefault))
/// ```
public struct StringSigning: Sendable {
  /// Reads the strings and signs them.
  public let signer: any StringSigner

  let keys: any CredentialProvider<AccessKey>

  /// Creates a signer with its key.
  ///
  /// - Parameters:
  ///   - signer: Reads the strings and signs them.
  ///   - keys: Where the key comes from that signs; put a source that is slow into a `CredentialCache`.
  public init(_ signer: some StringSigner, keys: some CredentialProvider<AccessKey>) {
    self.signer = signer
    self.keys = keys
  }
}
