// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// A provider that requests a session's tokens from an issuer, with a reason for each request.
final class SessionTokenProvider: CredentialProvider {
  private struct State {
    var nextReason = TokenRequest.Reason.initial
    var lastRequest: TokenRequest?
    var requestCount = 0
  }

  private let issuer: any TokenIssuer
  /// The ID of the session, which each token request contains.
  private let session: String
  private let specification: TransferSpec
  private let state: Lock<State>

  /// Creates a provider for a session that has requested `requestCount` tokens before.
  ///
  /// The specification contains no secrets.
  init(issuer: any TokenIssuer, session: String, specification: TransferSpec, requestCount: Int) {
    self.issuer = issuer
    self.session = session
    self.specification = specification
    state = Lock(State(requestCount: requestCount))
  }

  var source: String { issuer.source }

  /// The reason for the next token request, after which the reason is reset to `expired`.
  var reason: TokenRequest.Reason {
    get { state.withLock { $0.nextReason } }
    set { state.withLock { $0.nextReason = newValue } }
  }

  var lastRequest: TokenRequest? { state.withLock { $0.lastRequest } }

  var requestCount: Int { state.withLock { $0.requestCount } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let request = state.withLock { state in
      state.requestCount += 1
      let request = TokenRequest(
        session: session, specification: specification, reason: state.nextReason, attempt: state.requestCount)
      state.lastRequest = request
      // The cache requests another token by itself only when this one expires.
      state.nextReason = .expired
      return request
    }
    return try await issuer.issue(for: request, in: context)
  }
}
