// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  /// The lowercase prefix, valid in a header name, of the service's own headers and query parameters, such as `x-oss-`.
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
  /// The meaning of the parameters of the service's presigned URLs, or `nil` if it is not known.
  package var presignedURLs: PresignedURLRules?

  /// Creates the description of a service; the parameters are the properties.
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
  public func header(_ nameWithoutPrefix: String) -> String { headerPrefix + nameWithoutPrefix }
  package func field(_ nameWithoutPrefix: String) -> HTTPField.Name { .known(header(nameWithoutPrefix)) }
  /// Returns whether a host, in lowercase and without a port, is one of the vendor's.
  public func owns(host: String) -> Bool { domains.contains { host.hasByteSuffix($0) } }
}

/// The meaning that the parameters of a service's presigned URLs, in lowercase, have for the holder of a URL.
package struct PresignedURLRules: Sendable {
  /// The prefixes and names of parameters that do not change the bytes that the service sends.
  private let harmlessPrefixes: [String]
  private let harmlessNames: Set<String>
  /// The parameters that change the bytes although they have a harmless prefix.
  private let exceptions: Set<String>
  /// The parameters and headers that make the service call a server of the app after an upload.
  package let callbackNames: Set<String>
  /// A function that returns the expiration in the parameters of a URL, or `nil` for a URL of another service.
  package let expiration: @Sendable (_ parameters: [String: String]) -> Timestamp?

  package init(
    prefixes: [String], names: Set<String> = [], exceptions: Set<String> = [], callbackNames: Set<String> = [],
    expiration: @escaping @Sendable (_ parameters: [String: String]) -> Timestamp?
  ) {
    harmlessPrefixes = prefixes
    harmlessNames = names
    self.exceptions = exceptions
    self.callbackNames = callbackNames
    self.expiration = expiration
  }

  /// Returns whether the service sends the object's own bytes for a URL with a parameter, given its lowercase name.
  package func leavesObjectUnprocessed(_ name: String) -> Bool {
    if harmlessNames.contains(name) { return true }
    return harmlessPrefixes.contains { name.hasBytePrefix($0) } && !exceptions.contains(name)
  }

  /// Returns the expiration of a URL with a date in the basic format of ISO 8601 and a lifetime in seconds.
  package static func expiration(from date: String?, after seconds: String?) -> Timestamp? {
    guard let date, let start = Timestamp(iso8601Basic: date), let seconds, let lifetime = Int64(digits: seconds)
    else { return nil }
    return start.advanced(by: .seconds(lifetime))
  }
}
