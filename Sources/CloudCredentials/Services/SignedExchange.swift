internal import StorageAuth

/// Asks a service whose calls are signed, and puts the time right if it says that it is wrong.
struct SignedExchange: Sendable {
  let exchange: ServiceExchange
  let credentials: any CredentialProvider<AccessKey>
  let rules: RefusalRules
  private let clock = ServiceClock()

  init(exchange: ServiceExchange, credentials: any CredentialProvider<AccessKey>, rules: RefusalRules) {
    self.exchange = exchange
    self.credentials = credentials
    self.rules = rules
  }

  /// Sends a signed call.
  ///
  /// - Parameters:
  ///   - signer: Signs it.
  ///   - refusal: Reads what an answer says where the service refuses; nothing for one that has what was asked for.
  ///   - makeCall: Makes the call, anew for each try.
  /// - Returns: An answer that is no refusal.
  /// - Throws: A `CredentialError` that says why there is none.
  func answer(
    signedWith signer: some Signer<ServiceCall, AccessKey>, refusal: @Sendable (ServiceAnswer) -> ServiceRefusal?,
    permanent: Bool = false, _ makeCall: @escaping @Sendable () -> ServiceCall
  ) async throws(CredentialError) -> ServiceAnswer {
    let key = try await key(permanent: permanent)
    let masks = [key.secret] + (key.sessionToken.map { [$0] } ?? [])
    var isCorrected = false
    while true {
      let date = clock.now(by: exchange.time)
      let call = try signed(makeCall(), signer, key, at: date)
      let answer = try await exchange.send { () async throws(CredentialError) in PreparedCall(call, masks: masks) }
      let refused = refusal(answer)
      if answer.isSuccess, refused == nil { return answer }
      if rules.isClock(refused), !isCorrected, clock.correct(by: answer, signedAt: date, exchange.time) {
        isCorrected = true
        continue
      }
      throw rules.error(
        for: answer, refused, source: exchange.source, fallback: "See what the vendor says about this code.")
    }
  }

  private func key(permanent: Bool) async throws(CredentialError) -> AccessKey {
    let key: AccessKey
    do {
      key = try await credentials.credential()
    } catch {
      throw CredentialError(
        error.code, source: exchange.source, "There is no key to ask with.", remedy: error.remedy,
        isRetryable: error.isRetryable, declined: [error])
    }
    let check = RequestCheck(source: exchange.source)
    if key.isAnonymous { throw check.refused("The key to ask with is anonymous.", "Ask with a key that has a secret.") }
    if permanent, key.sessionToken != nil {
      throw check.refused("The key to ask with is temporary.", "Ask with a permanent key; the service takes no other.")
    }
    return key
  }

  private func signed(
    _ call: ServiceCall, _ signer: some Signer<ServiceCall, AccessKey>, _ key: AccessKey, at date: Timestamp
  ) throws(CredentialError) -> ServiceCall {
    do {
      return try signer.signed(call, with: key, in: .at(date))
    } catch {
      throw CredentialError(.failed, source: exchange.source, error.message, remedy: error.remedy)
    }
  }
}
