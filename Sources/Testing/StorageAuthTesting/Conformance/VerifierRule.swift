// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A rule that a verifier must follow, together with the signer whose requests it accepts.
public enum VerifierRule: String, CaseIterable, Sendable {
  /// The verifier accepts a correctly signed request and parses it correctly.
  case acceptance = "a signed request is accepted, with the id of the key and the target of the request"
  /// The verifier does not accept a request without an authorization.
  case unsigned = "a request without an authorization has no claim"
  /// The signature covers the path and the query.
  case path = "no byte of the path or the query can be changed"
  /// The signature covers the headers.
  case headers = "no signed header can be changed in a byte, removed or duplicated"
  /// The verifier lists only headers that the signature covers.
  case coverage = "no header in signedHeaders can be changed, removed or added, and an added header is not among them"
  /// The signature covers the headers and parameters that have an effect in the service.
  case controls = "no header and no parameter with a control prefix can be added"
  /// The verifier separates signed parameters from unsigned ones.
  case parameters = "no signed parameter can be added, changed or removed, and an added one counts as unsigned"
  /// The verifier compares the scope of the signature, such as its region, with its own.
  ///
  /// A signature that was made for another region must not be accepted, even if it is correct. The rule is broken if the
  /// verifier rejects a changed scope only because the signature does not match: a key can then sign for it.
  case scope = "each part of the scope is compared before the signature"
  /// The signature covers the method.
  case method = "another method is rejected"
  /// The signature covers the host.
  case host = "no byte of the host can be changed"
  /// The signature depends on the access key's secret.
  case secret = "a key with another secret, another id or another session token is rejected"
  /// The verifier rejects an expired signature.
  case time = "a signature is rejected long before and after its time, and a URL right after its expiration"
  /// The verifier does not disclose secrets.
  case secrecy = "no secret and no session token is in an error"
}
