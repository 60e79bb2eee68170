// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The rules for a presigner.
public enum PresignerRule: String, CaseIterable, Sendable {
  /// Presigning depends only on its inputs.
  case determinism = "the same request, credential, lifetime and time give the same URL"
  /// The URL starts with the path and the query of the request.
  case appending = "the URL is that of the request with parameters appended, and has only characters of a URL"
  /// The user of the URL receives the method and the headers to send.
  case kept = "the method is that of the request, and the headers to send are among its headers, with the same values"
  /// The user of the URL receives its expiration.
  case expiry =
    "the reported expiration is the time of signing plus the lifetime, and a credential must be valid until then"
  /// A URL does not outlive its credential.
  case endedCredential = "a credential that expires before the URL is rejected with credentialEndsFirst"
  /// An anonymous credential cannot presign.
  case anonymity = "an anonymous credential is rejected"
  /// A lifetime is a positive number of seconds.
  case lifetime = "a lifetime of zero or a negative one is rejected"
  /// A credential that cannot be sent is rejected instead of repaired.
  case refusal = "a credential that cannot be sent is rejected, such as an empty id or a token with a line break"
  /// Secrets and the query of the URL are not disclosed.
  case secrecy = "no secret is in the URL or in an error, and no description shows the query of the URL"
}
