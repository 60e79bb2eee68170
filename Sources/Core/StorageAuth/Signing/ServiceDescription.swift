// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The names, hosts, limits and error codes of a service, which verifiers, diagnoses, clients and servers share.
///
/// A provider declares its service as a static member, as `OSSAuth`, `COSAuth` and `S3Auth` do:
///
/// ```swift
/// extension ServiceDescription {
///   public static let acme = ServiceDescription(
///     name: "acme", headerPrefix: "x-acme-", hosts: .acme, domains: [".acme.example.com"],
///     authorizationPrefix: "ACME ", signatureParameters: ["x-acme-signature"])
/// }
/// ```
public struct ServiceDescription: Sendable {
  /// The short name of the service, in lowercase, such as `oss`.
  public let name: String

  /// The prefix of the service's own headers and query parameters, in lowercase, such as `x-oss-`.
  public let headerPrefix: String

  /// The further beginnings of names of headers and query parameters that control the service, in lowercase.
  public let otherPrefixes: [String]

  /// The rule that distinguishes the service's own hosts from hosts that start with a bucket name.
  public let hosts: ServiceHosts

  /// The suffixes of the vendor's hosts, with a leading dot, such as `.aliyuncs.com`.
  public let domains: [String]

  /// The start of the value of an `Authorization` header with a signature of the service.
  public let authorizationPrefix: String

  /// The names of the query parameters that only a presigned URL of the service contains.
  public let signatureParameters: [String]

  /// The maximum length of an object key in bytes of UTF-8.
  public let keyByteLimit: Int

  /// The status codes and error codes with which the service rejects a request.
  public let errorCodes: ServiceErrorCodes

  /// The meaning of the parameters of the service's presigned URLs, or `nil` if it has none that are known.
  package var presignedURLs: PresignedURLRules?

  /// Creates the description of a service.
  ///
  /// - Parameters:
  ///   - name: The short name of the service, in lowercase.
  ///   - headerPrefix: The prefix of the service's headers and parameters, in lowercase and valid in a header name.
  ///   - otherPrefixes: The further beginnings of names that control the service, in lowercase.
  ///   - hosts: The rule that distinguishes the service's own hosts from hosts that start with a bucket name.
  ///   - domains: The suffixes of the vendor's hosts, with a leading dot.
  ///   - authorizationPrefix: The start of the value of an `Authorization` header with a signature of the service.
  ///   - signatureParameters: The names of the query parameters that only a presigned URL of the service contains.
  ///   - keyByteLimit: The maximum length of an object key in bytes of UTF-8.
  ///   - errorCodes: The status codes and error codes with which the service rejects a request.
  public init(
    name: String, headerPrefix: String, otherPrefixes: [String] = [], hosts: ServiceHosts = .unknown,
    domains: [String] = [], authorizationPrefix: String, signatureParameters: [String], keyByteLimit: Int = 1023,
    errorCodes: ServiceErrorCodes = ServiceErrorCodes()
  ) {
    self.name = name
    self.headerPrefix = headerPrefix
    self.otherPrefixes = otherPrefixes
    self.hosts = hosts
    self.domains = domains
    self.authorizationPrefix = authorizationPrefix
    self.signatureParameters = signatureParameters
    self.keyByteLimit = keyByteLimit
    self.errorCodes = errorCodes
  }

  /// The beginnings of the names of headers and query parameters that control the service.
  public var controlPrefixes: [String] { [headerPrefix] + otherPrefixes }

  /// Returns the name of a header or query parameter of the service, given the name without the service's prefix.
  public func header(_ rest: String) -> String { headerPrefix + rest }

  package func field(_ rest: String) -> HTTPField.Name {
    if let name = HTTPField.Name(header(rest)) { return name }
    assertionFailure("\"\(header(rest))\" is not a valid header name.")
    return .mistyped
  }

  /// Returns whether a host, in lowercase and without a port, is one of the vendor's.
  public func owns(host: String) -> Bool { domains.contains { host.hasByteSuffix($0) } }
}
