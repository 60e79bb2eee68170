// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A rule that an implementation of `Signer` for HTTP requests must follow.
public enum SignerRule: String, CaseIterable, Sendable {
  /// The signature depends only on the inputs of the signer.
  case determinism = "the same request, credential and time give the same signature"
  /// The signer signs a request completely or does not change it.
  case atomicity = "if signing throws, the request is unchanged, and the error has a message and a remedy"
  /// The signer does not change the request line.
  case untouchedPath = "method, scheme, host and path are unchanged, byte for byte"
  /// The signer does not change the headers of the request.
  case keptHeaders = "the headers of the request are preserved, with their values and in their order"
  /// The order of headers with different names does not change the signature.
  case headerOrder = "the order of headers with different names does not matter"
  /// The signer can sign a request again, such as after a refresh of the credential.
  case resigning = "signing a signed request again gives the same headers as signing it once"
  /// The signer adds no authorization if the credential is anonymous.
  case anonymity = "an anonymous credential leaves the request unchanged"
  /// The signature depends on the secret.
  case boundSecret = "another secret gives a different signature"
  /// The signature depends on the signing time.
  case boundDate = "another date gives a different signature"
  /// The signature depends on the method of the request.
  case boundMethod = "another method gives a different signature"
  /// The signature depends on the path of the request.
  case boundPath = "another path gives a different signature"
  /// The signer rejects a credential that cannot be sent, instead of repairing the credential.
  case refusal = "a credential that cannot be sent is rejected, such as an empty id or a token with a line break"
  /// The signer does not disclose secrets.
  case secrecy = "no secret is in the signed request or in an error"
  /// The signer requires a credential that is valid at least until the signing time.
  case validity = "a credential must be valid at least until the time of signing"
}
