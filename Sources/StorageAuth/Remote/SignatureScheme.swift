// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A signature scheme: a service and the version of its signature.
///
/// A provider declares its schemes as static members, as `OSSAuth` and `COSAuth` do:
///
/// ```swift
/// extension SignatureScheme {
///   public static let acmeV1 = SignatureScheme(service: "acme", version: "v1")
/// }
/// ```
public struct SignatureScheme: Sendable, Hashable, CustomStringConvertible {
  /// The short name of the service, in lower case: `oss`.
  public let service: String

  /// The version of the signature, in lower case: `v4`.
  public let version: String

  /// Creates a scheme.
  ///
  /// - Parameters:
  ///   - service: The short name of the service, in lower case.
  ///   - version: The version of the signature, in lower case.
  public init(service: String, version: String) {
    self.service = service
    self.version = version
  }

  /// Returns whether the services and versions of two schemes are equal byte for byte.
  public static func == (first: Self, second: Self) -> Bool {
    first.service.isIdentical(to: second.service) && first.version.isIdentical(to: second.version)
  }

  /// Feeds the bytes of the service and the version to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(WireText(service))
    hasher.combine(WireText(version))
  }

  /// The service and the version: `oss v4`.
  public var description: String { "\(service) \(version)".onOneLine }
}
