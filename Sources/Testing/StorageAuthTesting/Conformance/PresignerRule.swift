// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A rule that an implementation of `Presigner` must follow.
public enum PresignerRule: String, CaseIterable, Sendable {
  /// The presigned URL depends only on the inputs of the presigner.
  case determinism = "the same request, credential, lifetime and time give the same URL"
  /// The presigned URL starts with the path and the query of the request.
  case appending = "the URL is that of the request with parameters appended, and has only characters of a URL"
  /// The result contains the method and the headers that the user of the URL must send.
  case kept = "the method is that of the request, and the headers to send are among its headers, with the same values"
  /// The result contains the expiration of the URL.
  case expiry =
    "the reported expiration is the time of signing plus the lifetime, and a credential must be valid until then"
  /// The presigner rejects a credential that expires before the URL.
  case endedCredential = "a credential that expires before the URL is rejected with credentialEndsFirst"
  /// The presigner rejects an anonymous credential.
  case anonymity = "an anonymous credential is rejected"
  /// The presigner rejects a lifetime that is not positive.
  case lifetime = "a lifetime of zero or a negative one is rejected"
  /// The presigner rejects a credential that cannot be sent, instead of repairing the credential.
  case refusal = "a credential that cannot be sent is rejected, such as an empty id or a token with a line break"
  /// The presigner does not disclose secrets or the query of the URL.
  case secrecy = "no secret is in the URL or in an error, and no description shows the query of the URL"
}
