// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The headers and parameters that a service's requests may contain without changing the operation.
///
/// A ``StringToSignSigner`` returns the names with the parsed request (``AuthorizedRequest/signableNames``), so that the policy
/// check contains no code for a particular service.
public struct SignableNames: Sendable {
  /// The prefix of the service's own header names, in lowercase, such as `x-oss-`.
  public var headerPrefix: String

  /// The service's own headers that change neither the operation nor its authorization, in lowercase without prefix.
  ///
  /// User metadata (`meta-`) is always harmless and is not listed.
  public var harmlessHeaders: Set<String>

  /// The headers, other than those with the service's prefix, that change a request's operation, in lowercase.
  ///
  /// A string to sign that contains such a header is rejected.
  public var refusedHeaders: Set<String>

  /// Whether the service converts parameter names to lowercase before signing.
  ///
  /// If so, the signature does not cover the case of parameter names.
  public var ignoresParameterCase: Bool

  /// Whether the service treats a POST to a bucket without parameters as a form upload.
  ///
  /// The fields of such a form are not signed.
  public var uploadsUnsignedForms: Bool

  /// Whether a date is the start of a validity window, which may be long past.
  public var datesWindows: Bool

  /// Whether the service allows dots in bucket names.
  public var hasDottedBuckets: Bool

  /// Creates the names of a storage service; the parameters are the properties.
  public init(
    headerPrefix: String, harmlessHeaders: Set<String>, refusedHeaders: Set<String> = [],
    ignoresParameterCase: Bool = false, uploadsUnsignedForms: Bool = false, datesWindows: Bool = false,
    hasDottedBuckets: Bool = false
  ) {
    self.headerPrefix = headerPrefix
    self.harmlessHeaders = harmlessHeaders
    self.refusedHeaders = refusedHeaders
    self.ignoresParameterCase = ignoresParameterCase
    self.uploadsUnsignedForms = uploadsUnsignedForms
    self.datesWindows = datesWindows
    self.hasDottedBuckets = hasDottedBuckets
  }

  func isBucketName(_ name: String) -> Bool {
    hasDottedBuckets ? isBucketNameWithOrWithoutDots(name) : StorageAuth.isBucketName(name)
  }
}
