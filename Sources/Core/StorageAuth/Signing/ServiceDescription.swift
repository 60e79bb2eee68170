// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

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

  /// Returns a Boolean value that indicates whether a host, in lowercase and without a port, is one of the vendor's.
  public func owns(host: String) -> Bool { domains.contains { host.hasByteSuffix($0) } }
}

/// The status codes and error codes with which a storage service rejects a request whose signature it does not accept.
///
/// A verifier returns the codes of its service (``SignatureVerifier/errorCodes``), so that a middleware responds as
/// the service does and the service's SDKs understand the response.
public struct ServiceErrorCodes: Sendable {
  /// The HTTP status and the error code of a response that rejects a request.
  public struct Refusal: Sendable, Hashable {
    /// The HTTP status of the response.
    public let status: HTTPResponse.Status

    /// The error code in the response, such as `SignatureDoesNotMatch`.
    public let code: String

    /// Creates a rejection from an HTTP status and an error code.
    ///
    /// - Parameters:
    ///   - status: The HTTP status of the response.
    ///   - code: The error code in the response, such as `SignatureDoesNotMatch`.
    public init(_ status: HTTPResponse.Status, _ code: String) {
      self.status = status
      self.code = code
    }
  }

  /// The XML element of a service's error document that identifies the requested resource.
  public enum Subject: Sendable, Hashable {
    /// An element with the given name that contains the host.
    case host(String)
    /// An element with the given name that contains the host and the path.
    case resource(String)
  }

  /// The service's rejections for verification error codes; a code without an entry results in a Bad Request response.
  public var refusals: [VerificationError.Code: Refusal]

  /// The HTTP statuses for own error codes (``VerificationError/serviceCode``) that differ from those in ``refusals``.
  public var statuses: [String: HTTPResponse.Status]

  /// The name of the XML element that contains the canonical request in the service's error document.
  ///
  /// The document contains the string to sign in the element `StringToSign`.
  public var canonicalRequestElement: String

  /// The XML element of the service's error document that identifies the requested resource.
  public var subject: Subject

  /// The header that contains the error document in Base64 in a response to HEAD, or `nil` if there is none.
  public var headHeader: HTTPField.Name?

  /// Creates the error codes of a storage service.
  ///
  /// - Parameters:
  ///   - canonicalRequestElement: The name of the XML element that contains the canonical request.
  ///   - subject: The XML element of the error document that identifies the requested resource.
  ///   - headHeader: The header that contains the error document in a response to HEAD, or `nil` if there is none.
  ///   - refusals: The rejections that differ from ``common``.
  ///   - statuses: The HTTP statuses for the service's own error codes, if they differ from the statuses in `refusals`.
  public init(
    canonicalRequestElement: String = "CanonicalRequest", subject: Subject = .resource("Resource"),
    headHeader: HTTPField.Name? = nil, refusals: [VerificationError.Code: Refusal] = [:],
    statuses: [String: HTTPResponse.Status] = [:]
  ) {
    self.statuses = statuses
    self.refusals = Self.common.merging(refusals) { $1 }
    self.canonicalRequestElement = canonicalRequestElement
    self.subject = subject
    self.headHeader = headHeader
  }

  /// Returns the service's rejection for a verification error code.
  public subscript(code: VerificationError.Code) -> Refusal {
    refusals[code] ?? Refusal(.badRequest, "InvalidArgument")
  }

  /// Returns the service's rejection for a verification error, with the service's own code if the error has one.
  public subscript(error: VerificationError) -> Refusal {
    let refusal = self[error.code]
    guard let code = error.serviceCode else { return refusal }
    return Refusal(statuses[code] ?? refusal.status, code)
  }

  /// The rejections that the storage services have in common.
  public static let common: [VerificationError.Code: Refusal] = [
    .unsigned: Refusal(.forbidden, "AccessDenied"), .missingDate: Refusal(.forbidden, "AccessDenied"),
    .expired: Refusal(.forbidden, "AccessDenied"), .lifetimeOutOfRange: Refusal(.forbidden, "AccessDenied"),
    .unsignedField: Refusal(.forbidden, "AccessDenied"), .unknownKey: Refusal(.forbidden, "InvalidAccessKeyId"),
    .missingToken: Refusal(.forbidden, "InvalidAccessKeyId"), .invalidToken: Refusal(.forbidden, "InvalidToken"),
    .keyExpired: Refusal(.forbidden, "ExpiredToken"), .notYetValid: Refusal(.forbidden, "RequestTimeTooSkewed"),
    .clockSkew: Refusal(.forbidden, "RequestTimeTooSkewed"), .mismatch: Refusal(.forbidden, "SignatureDoesNotMatch"),
  ]
}
