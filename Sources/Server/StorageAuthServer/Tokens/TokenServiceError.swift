// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a caller receives no key or token.
public enum TokenServiceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The caller exceeded its rate limit.
  ///
  /// - after: The time after which the caller may retry.
  case tooManyRequests(after: Duration)
  /// The cloud's token service, or the Aspera node, issued no key or token.
  ///
  /// - after: The time after which the caller may retry, or `nil` if a retry cannot help.
  case unavailable(CredentialError, after: Duration?)
  /// The provider for a scope returned a key that is not temporary.
  case permanentKey
  /// The caller's policy does not allow the request.
  case notAllowed(PolicyError)
  /// The cloud's policy language cannot express the scope; the string describes why.
  case scope(String)

  /// A description of the error, for the audit log.
  public var description: String {
    switch self {
    case .tooManyRequests(let delay): "too many requests; retry after \(delay)"
    case .unavailable(let error, _): "\(error)"
    case .permanentKey: "the source gave a key that is not temporary"
    case .notAllowed(let error): "\(error)"
    case .scope(let problem): "the scope cannot be expressed: \(problem)"
    }
  }
}
