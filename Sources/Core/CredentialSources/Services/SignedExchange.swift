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
  /// If the service rejects the signing time, the request is created, signed and sent once more with its time.
  ///
  /// - Parameters:
  ///   - refusal: A closure that reads the refusal from an error response, or returns `nil` for a successful response.
  ///   - permanent: Whether the service requires a permanent key, that is, a key without a session token.
  ///   - makeCall: A closure that creates the request for each attempt, because a nonce can be used only once.
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
