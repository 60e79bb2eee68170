// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageDiagnosis

/// The search for what a client signed, with the key of the default sources if it is the one of the request.
struct KeySearch {
  /// The search, or `nil` without the key.
  let search: SignatureSearch?

  /// A description of the key that is missing, or `nil` if the search has it or the request names none.
  let needs: String?

  /// Looks the key of a request up in the default sources of its cloud.
  ///
  /// - Parameters:
  ///   - request: The request as it was sent.
  ///   - cloud: The cloud to which the request was sent.
  ///   - service: The service for which the request was signed.
  ///   - verifier: The verifier of that service.
  ///   - credentials: The options for the default sources.
  init(
    for request: HTTPRequest, _ cloud: any Cloud, signedFor service: SignedService,
    verifier: some SignatureVerifier, _ credentials: CredentialOptions
  ) async {
    guard let claim = SignatureSearch.claim(in: request, signedFor: service) else {
      (search, needs) = (nil, nil)
      return
    }
    var credentials = credentials
    // A metadata service issues temporary keys only.
    if claim.isTemporary == false { credentials.leavesOutMetadata = true }
    let key = try? await credentials.cache(for: cloud).credential()
    search = key.flatMap { SignatureSearch(for: request, signedFor: service, verifier: verifier, key: $0) }
    needs =
      search == nil
      ? """
      The key \(claim.id.string.onOneLine), with which the cause can be found: the default sources have \
      \(key == nil ? "no key" : "another key"). `storage-auth credentials --provider \(cloud.name)` shows where they look.
      """ : nil
  }
}
