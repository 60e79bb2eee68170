// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A client that sends signed requests to a service, and corrects its clock if the service rejects the signing time.
package struct SignedExchange: Sendable {
  private let source: String
  private let credentials: any CredentialProvider<AccessKey>
  private let rules: RefusalRules
  private let timeout: Duration
  private let clock = ServiceClock()

  /// Creates a client for a provider of temporary keys.
  ///
  /// - Parameters:
  ///   - source: The name of the provider that sends the requests, for error messages.
  ///   - credentials: The provider of the key that signs the requests.
  ///   - rules: The rules for the service's error codes.
  ///   - timeout: The time limit for one request and its response, if the context has none.
  package init(
    source: String, credentials: any CredentialProvider<AccessKey>, rules: RefusalRules,
    timeout: Duration = .seconds(10)
  ) {
    self.source = source
    self.timeout = timeout
    self.credentials = credentials
    self.rules = rules
  }

  /// Sends a signed request and returns the service's successful response.
  ///
  /// If the service rejects the signing time, the request is created, signed and sent once more with the service's
  /// time.
  ///
  /// - Parameters:
  ///   - signer: The signer for the request.
  ///   - refusal: A closure that reads the refusal from an error response, or returns `nil` for a successful response.
  ///   - context: The context of the provider's call, in which the signing key is requested too.
  ///   - permanent: Whether the service requires a permanent key, that is, a key without a session token.
  ///   - makeCall: A closure that creates the request. It is called for each attempt, because a nonce can be used only
  ///     once.
  /// - Returns: A successful response.
  /// - Throws: A `CredentialError` if there is no key to sign with, or if the service returns no successful response.
  package func response(
    signedWith signer: some Signer<ServiceCall, AccessKey>, refusal: @Sendable (ServiceResponse) -> ServiceRefusal?,
    in context: ProviderContext, permanent: Bool = false, _ makeCall: @escaping @Sendable () -> ServiceCall
  ) async throws(CredentialError) -> ServiceResponse {
    let exchange = try ServiceExchange(source: source, in: context, timeout: timeout)
    let key = try await key(permanent: permanent, in: context)
    let masks = [key.secret] + (key.sessionToken.map { [$0] } ?? [])
    var isCorrected = false
    while true {
      let date = clock.now(by: exchange.time)
      let call = try signed(makeCall(), signer, key, at: date)
      let response = try await exchange.send { () async throws(CredentialError) in PreparedCall(call, masks: masks) }
      let refused = refusal(response)
      if response.isSuccess, refused == nil { return response }
      if rules.isClock(refused), !isCorrected, clock.correct(by: response.issuerTime, signedAt: date, exchange.time) {
        isCorrected = true
        continue
      }
      throw rules.error(
        for: response, refused, source: source, fallback: "See the vendor's documentation of this code.")
    }
  }

  private func key(permanent: Bool, in context: ProviderContext) async throws(CredentialError) -> AccessKey {
    let key: AccessKey
    do {
      key = try await credentials.credential(in: context)
    } catch {
      throw CredentialError(
        error.code, source: source, "There is no key to sign the request with.", remedy: error.remedy,
        isRetryable: error.isRetryable, declined: [error])
    }
    let check = RequestCheck(source: source)
    if key.isAnonymous { throw check.refused("The signing key is anonymous.", "Use a key that has a secret.") }
    if permanent, key.sessionToken != nil {
      throw check.refused("The signing key is temporary.", "Use a permanent key; the service accepts no other.")
    }
    return key
  }

  private func signed(
    _ call: ServiceCall, _ signer: some Signer<ServiceCall, AccessKey>, _ key: AccessKey, at date: Timestamp
  ) throws(CredentialError) -> ServiceCall {
    do {
      return try signer.signed(call, with: key, in: .at(date))
    } catch {
      throw CredentialError(.failed, source: source, error.message, remedy: error.remedy)
    }
  }
}
