internal import HTTPTypes
internal import StorageAuth

extension VerifierConformance {
  func checkAcceptance(_ signed: SignedSample) throws -> Int {
    let dates = [signed.sample.date, signed.expiration].compactMap { $0 }
    for date in dates {
      let proof: VerifiedRequest
      do throws(VerificationError) {
        proof = try verify(signed.request, against: signed.sample.credential, at: date)
      } catch {
        throw Violation("refused with \(error)")
      }
      try require(proof.accessKeyID == signed.sample.credential.id, "the id is another one")
      try require(proof.placement == placement, "the authorization is said to be in the \(proof.placement)")
      if let end = signed.expiration { try require(proof.expiration == end, "the proof ends at another time") }
      if let target = signed.sample.target {
        try require(
          proof.wholeTarget.isByteEqual(to: target, ignoringAdded: placement == .query), "the target is another")
      }
    }
    return dates.count
  }

  func checkUnsigned(_ signed: SignedSample) throws -> Int {
    let claim: Subject.Claim?
    do throws(VerificationError) {
      claim = try verifier.claim(in: signed.sample.request)
    } catch {
      throw Violation("the claim of an unsigned request is refused with \(error)")
    }
    try require(claim == nil, "an unsigned request makes a claim")
    return 1
  }

  func checkSecret(_ signed: SignedSample) throws -> Int {
    let keys = wrongKeys(of: signed.sample)
    for (name, key) in keys where refusal(of: signed.request, against: key, at: signed.sample.date) == nil {
      throw Violation("accepted against a key with \(name)")
    }
    return keys.count
  }

  func checkTime(_ signed: SignedSample) throws -> Int {
    let year = Duration.seconds(366 * 86_400)
    var dates = [signed.sample.date.advanced(by: year)]
    if let end = signed.expiration {
      dates.append(end.advanced(by: .seconds(1)))
    } else {
      dates.append(signed.sample.date.advanced(by: .zero - year))
    }
    for date in dates where refusal(of: signed.request, against: signed.sample.credential, at: date) == nil {
      throw Violation("accepted at \(date), signed at \(signed.sample.date)")
    }
    if let end = signed.expiration {
      let error = refusal(of: signed.request, against: signed.sample.credential, at: end.advanced(by: .seconds(1)))
      try require(
        error?.code == .expired, "a URL that has ended is refused with \(error?.code.description ?? "nothing")")
    }
    return dates.count
  }

  func checkSecrecy(_ signed: SignedSample) throws -> Int {
    let key = signed.sample.credential
    let token = key.sessionToken?.reveal() ?? ""
    let secrets = signed.sample.secrets + (token.utf8.count < 8 ? [] : [token])
    var tries = 0
    for (name, wrong) in wrongKeys(of: signed.sample) {
      guard let error = refusal(of: signed.request, against: wrong, at: signed.sample.date) else { continue }
      try secrets.requireAbsent(fromDisplaysOf: error, "the refusal of a key with \(name)")
      try require(!error.message.isEmpty && !error.remedy.isEmpty, "a refusal lacks its message or its remedy")
      tries += 1
    }
    return tries
  }

  private func wrongKeys(of sample: SigningSample<AccessKey>) -> [(String, AccessKey)] {
    let key = sample.credential
    let token = key.sessionToken
    return [
      ("another secret", AccessKey(id: key.id, secret: Secret("x" + key.secret.reveal()), sessionToken: token)),
      ("another id", AccessKey(id: key.id.string + "x", secret: key.secret, sessionToken: token)),
      (
        token == nil ? "a session token" : "no session token",
        AccessKey(id: key.id, secret: key.secret, sessionToken: token == nil ? Secret("another token") : nil)
      ),
    ]
  }

  /// Why a request is refused; nothing if it is accepted.
  func refusal(of request: HTTPRequest, against key: AccessKey, at date: Timestamp) -> VerificationError? {
    do throws(VerificationError) {
      _ = try verify(request, against: key, at: date)
      return nil
    } catch {
      return error
    }
  }

  private func verify(
    _ request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard let claim = try verifier.claim(in: request) else {
      throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign it.")
    }
    return try verifier.verify(claim, of: request, against: key, at: date)
  }
}

extension RequestTarget {
  /// Whether two targets are the same byte for byte; strings are equal where they only look the same.
  ///
  /// - Parameter ignoringAdded: Whether further parameters behind the others do not count.
  func isByteEqual(to other: RequestTarget, ignoringAdded: Bool) -> Bool {
    func bytes(_ target: RequestTarget, _ parameters: some Sequence<Parameter>) -> [[UInt8]?] {
      [target.bucket, target.key].map { $0.map { Array($0.utf8) } }
        + parameters.flatMap { [Array($0.name.utf8), $0.value.map { Array($0.utf8) }] }
    }
    let kept = ignoringAdded ? parameters.prefix(other.parameters.count) : parameters[...]
    return bytes(self, kept) == bytes(other, other.parameters)
  }
}
