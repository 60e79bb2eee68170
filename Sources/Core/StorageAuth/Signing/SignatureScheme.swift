// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A signature scheme, identified by a storage service and a version of its signature.
///
/// A provider declares its schemes as static members, as `OSSAuth` and `COSAuth` do:
///
/// ```swift
/// extension SignatureScheme {
///   public static let acmeV1 = SignatureScheme(service: "acme", version: "v1")
/// }
/// ```
public struct SignatureScheme: Sendable, Hashable, CustomStringConvertible {
  /// The short name of the storage service, in lowercase, such as `oss`.
  public let service: String
  /// The version of the service's signature, in lowercase, such as `v4`.
  public let version: String

  /// Creates a signature scheme; the parameters are the properties.
  public init(service: String, version: String) {
    self.service = service
    self.version = version
  }

  /// Returns whether two schemes have the same service and version, byte for byte.
  public static func == (first: Self, second: Self) -> Bool {
    first.service.isIdentical(to: second.service) && first.version.isIdentical(to: second.version)
  }

  /// Hashes the bytes of the service and the version.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteExactString(service))
    hasher.combine(ByteExactString(version))
  }

  /// The service and the version, such as `oss v4`.
  public var description: String { "\(service) \(version)".onOneLine }
}
