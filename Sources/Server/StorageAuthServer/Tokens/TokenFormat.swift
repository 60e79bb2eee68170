// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The response format of a route that issues keys, such as a format that a vendor's SDKs read.
///
/// Providers declare their formats as static members, such as `TokenFormat.oss`.
public struct TokenFormat: Sendable {
  /// A refusal in the form that the caller receives.
  public struct Refusal: Sendable, Hashable {
    /// The HTTP status of the response to the caller.
    public let status: HTTPResponse.Status

    /// An error code in camel case, such as `TooManyRequests`.
    public let code: String

    /// A message for the caller, without secrets.
    public let message: String
  }

  let document: @Sendable (IssuedKey, _ requestID: String) -> [UInt8]
  let refusal: @Sendable (Refusal, _ requestID: String) -> [UInt8]

  /// Creates a response format.
  ///
  /// - Parameters:
  ///   - document: A closure that encodes a response with a key as JSON in UTF-8.
  ///   - refusal: A closure that encodes a refusal as JSON in UTF-8.
  public init(
    document: @escaping @Sendable (IssuedKey, _ requestID: String) -> [UInt8],
    refusal: @escaping @Sendable (Refusal, _ requestID: String) -> [UInt8]
  ) {
    self.document = document
    self.refusal = refusal
  }
}
