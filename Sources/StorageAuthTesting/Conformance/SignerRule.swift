// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The rules for a signer of HTTP requests.
public enum SignerRule: String, CaseIterable, Sendable {
  /// Signing depends only on its inputs.
  case determinism = "the same request, credential and time give the same signature"
  /// A request is signed completely or not changed.
  case atomicity = "if signing throws, the request is unchanged, and the error has a message and a remedy"
  /// Signing does not change the request line.
  case untouchedPath = "method, scheme, host and path are unchanged, byte for byte"
  /// Signing does not change the headers of the request.
  case keptHeaders = "the headers of the request are preserved, with their values and in their order"
  /// The order of headers with different names has no meaning.
  case headerOrder = "the order of headers with different names does not matter"
  /// A request can be signed again after a refresh.
  case resigning = "signing a signed request again gives the same headers as signing it once"
  /// An anonymous credential adds no authorization.
  case anonymity = "an anonymous credential leaves the request unchanged"
  /// The signature depends on the secret.
  case boundSecret = "another secret gives a different signature"
  /// The signature depends on the time of signing.
  case boundDate = "another date gives a different signature"
  /// The signature depends on the method.
  case boundMethod = "another method gives a different signature"
  /// The signature depends on the path.
  case boundPath = "another path gives a different signature"
  /// A credential that cannot be sent is rejected instead of repaired.
  case refusal = "a credential that cannot be sent is rejected, such as an empty id or a token with a line break"
  /// Secrets are not disclosed.
  case secrecy = "no secret is in the signed request or in an error"
  /// The required validity does not end in the past.
  case validity = "a credential must be valid at least until the time of signing"
}
