// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A signature scheme, identified by a storage service and a version of its signature, which are compared by bytes.
///
/// A provider declares its schemes as static members, as `OSSAuth` and `COSAuth` do:
///
/// ```swift
/// extension SignatureScheme {
///   public static let acmeV1 = SignatureScheme(service: "acme", version: "v1")
/// }
/// ```
public struct SignatureScheme: Sendable, Hashable, CustomStringConvertible {
  private let exactService: ByteExactString
  private let exactVersion: ByteExactString

  /// The short name of the storage service, in lowercase, such as `oss`.
  public var service: String { exactService.string }
  /// The version of the service's signature, in lowercase, such as `v4`.
  public var version: String { exactVersion.string }

  /// Creates a signature scheme; the parameters are the properties.
  public init(service: String, version: String) {
    exactService = ByteExactString(service)
    exactVersion = ByteExactString(version)
  }

  /// The service and the version, such as `oss v4`.
  public var description: String { "\(service) \(version)".onOneLine }
}
