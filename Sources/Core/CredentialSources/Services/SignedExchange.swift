// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  /// If the service rejects the signing time, the request is created, signed and sent again with the service's time.
  ///
  /// - Parameters:
  ///   - refusal: A closure that reads the refusal from an error response, or returns `nil` for a successful response.
  ///   - makeCall: A closure that creates the request for each attempt, because a nonce can be used only once.
  package func response(
    signedWith signer: some Signer<ServiceCall, AccessKey>, refusal: @Sendable (ServiceResponse) -> ServiceRefusal?,
    in context: ProviderContext, permanent requiresPermanentKey: Bool = false,
    _ makeCall: @escaping @Sendable () -> ServiceCall
  ) async throws(CredentialError) -> ServiceResponse {
    let exchange = try ServiceExchange(source: source, in: context, timeout: timeout)
    let key = try await signingKey(permanent: requiresPermanentKey, in: context)
    let masks = [key.secret] + (key.sessionToken.map { [$0] } ?? [])
    var hasCorrectedClock = false
    while true {
      let date = clock.now(by: exchange.time)
      let call = try signed(makeCall(), by: signer, with: key, at: date)
      let response = try await exchange.send { () async throws(CredentialError) in PreparedCall(call, masks: masks) }
      let serviceRefusal = refusal(response)
      if response.isSuccess, serviceRefusal == nil { return response }
      if rules.isClockRefusal(serviceRefusal), !hasCorrectedClock,
        clock.correct(by: response.issuerTime, signedAt: date, exchange.time)
      {
        hasCorrectedClock = true
        continue
      }
      throw rules.error(for: response, serviceRefusal, source: source)
    }
  }

  private func signingKey(permanent requiresPermanentKey: Bool, in context: ProviderContext)
    async throws(CredentialError) -> AccessKey
  {
    let key: AccessKey
    do {
      key = try await credentials.credential(in: context)
    } catch {
      throw CredentialError(
        error.code, source: source, "There is no key to sign the request with.", remedy: error.remedy,
        isRetryable: error.isRetryable, declined: [error])
    }
    let check = RequestCheck(source: source)
    if key.isAnonymous { throw check.refusal("The signing key is anonymous.", remedy: "Use a key that has a secret.") }
    if requiresPermanentKey, key.sessionToken != nil {
      throw check.refusal("The signing key is temporary.", remedy: "Use a permanent key; the service accepts no other.")
    }
    return key
  }

  private func signed(
    _ call: ServiceCall, by signer: some Signer<ServiceCall, AccessKey>, with key: AccessKey, at date: Timestamp
  ) throws(CredentialError) -> ServiceCall {
    do {
      return try signer.signed(call, with: key, in: .at(date))
    } catch { throw CredentialError(.failed, source: source, error.message, remedy: error.remedy) }
  }
}

/// A clock that follows a service's time after the service has rejected the time of this machine's clock.
///
/// The service's time is advanced by the uptime since its response, so that the wall clock does not affect it.
package final class ServiceClock: Sendable {
  private struct Anchor {
    let time: Timestamp
    let uptime: Duration
  }

  /// The clock skew below which no correction is made; services tolerate a skew of at least five minutes.
  private static let tolerance = Duration.seconds(30)

  private let anchor = Lock<Anchor?>(nil)
  package init() {}

  /// Returns the service's current time if it is known, otherwise the current time according to this machine's clock.
  package func now(by time: any SigningClock) -> Timestamp {
    guard let anchor = anchor.withLock({ $0 }) else { return time.now }
    return anchor.time.advanced(by: time.uptime - anchor.uptime)
  }

  /// Sets the clock to the service's time after the service has rejected the signing time of a request.
  ///
  /// - Returns: Whether a request that is signed again, with the service's time, can succeed.
  package func correct(by issuerTime: Timestamp?, signedAt date: Timestamp, _ time: any SigningClock) -> Bool {
    guard let issuerTime else { return false }
    let difference = date.duration(to: issuerTime)
    guard difference > Self.tolerance || difference < .zero - Self.tolerance else { return false }
    let uptime = time.uptime
    anchor.withLock { $0 = Anchor(time: issuerTime, uptime: uptime) }
    return true
  }
}
