// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The headers and parameters that a service's requests may carry without changing the operation that a policy allows.
///
/// A string signer returns it with the parsed request (``SigningIntent/vocabulary``), so that the policy check contains
/// no code for a particular service.
public struct RequestVocabulary: Sendable {
  /// The prefix of the service's own headers, in lower case: `x-oss-`.
  public var headerPrefix: String

  /// The headers that change neither the operation nor its authorization, in lower case and without the service's
  /// prefix.
  ///
  /// User metadata (`meta-`) is always harmless and is not listed.
  public var harmlessHeaders: Set<String>

  /// The headers without the service's prefix that change the operation of a request, in lower case.
  public var refusedHeaders: Set<String>

  /// A Boolean value that indicates whether the service converts parameter names to lower case before signing, so that
  /// the signature does not cover their case.
  public var ignoresParameterCase: Bool

  /// A Boolean value that indicates whether the service accepts a POST to a bucket without parameters as a form upload
  /// whose fields are not signed.
  public var uploadsUnsignedForms: Bool

  /// A Boolean value that indicates whether the date of a request is the start of its validity window, which may be
  /// long past.
  public var datesWindows: Bool

  /// A Boolean value that indicates whether bucket names may contain dots.
  public var hasDottedBuckets: Bool

  /// Creates a vocabulary.
  ///
  /// - Parameters:
  ///   - headerPrefix: The prefix of the service's own headers, in lower case.
  ///   - harmlessHeaders: The headers with the prefix that change neither the operation nor its authorization, without
  ///     the prefix.
  ///   - refusedHeaders: The headers without the prefix that change the operation of a request, in lower case.
  ///   - ignoresParameterCase: Whether the service converts parameter names to lower case before signing.
  ///   - uploadsUnsignedForms: Whether a POST to a bucket without parameters is a form upload.
  ///   - datesWindows: Whether the date of a request is the start of its validity window.
  ///   - hasDottedBuckets: Whether bucket names may contain dots.
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

  /// Returns whether a string is a valid bucket name of the service.
  func isBucketName(_ name: String) -> Bool {
    hasDottedBuckets ? isBucketNameWithOrWithoutDots(name) : StorageAuth.isBucketName(name)
  }
}
