// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
        throw Violation("rejected with \(error)")
      }
      try require(proof.accessKeyID == signed.sample.credential.id, "the id differs from that of the key")
      try require(proof.placement == placement, "the reported placement of the authorization is the \(proof.placement)")
      if let end = signed.expiration { try require(proof.expiration == end, "the reported expiration differs") }
      if let target = signed.sample.target {
        try require(
          proof.wholeTarget.isByteEqual(to: target, ignoringAdded: placement == .query), "the target differs")
      }
    }
    return dates.count
  }

  func checkUnsigned(_ signed: SignedSample) throws -> Int {
    let claim: Subject.Claim?
    do throws(VerificationError) {
      claim = try verifier.claim(in: signed.sample.request)
    } catch {
      throw Violation("the claim of an unsigned request is rejected with \(error)")
    }
    try require(claim == nil, "an unsigned request has a claim")
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
      throw Violation("accepted at \(date), although it was signed at \(signed.sample.date)")
    }
    if let end = signed.expiration {
      let error = refusal(of: signed.request, against: signed.sample.credential, at: end.advanced(by: .seconds(1)))
      try require(
        error?.code == .expired, "a URL that has expired is rejected with \(error?.code.description ?? "no error")")
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
      try secrets.requireAbsent(fromDisplaysOf: error, "the error of a key with \(name)")
      try require(!error.message.isEmpty && !error.remedy.isEmpty, "an error lacks a message or a remedy")
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

  /// Returns the error with which the verifier rejects a request, or `nil` if the verifier accepts the request.
  func refusal(of request: HTTPRequest, against key: AccessKey, at date: Timestamp) -> VerificationError? {
    do throws(VerificationError) {
      _ = try verify(request, against: key, at: date)
      return nil
    } catch {
      return error
    }
  }

  func verify(
    _ request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard let claim = try verifier.claim(in: request) else {
      throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign it.")
    }
    return try verifier.verify(claim, of: request, against: key, at: date)
  }
}

extension RequestTarget {
  /// Returns whether two targets are equal byte for byte.
  ///
  /// The operator `==` for strings would also accept canonically equivalent characters.
  ///
  /// - Parameters:
  ///   - other: The target to compare with.
  ///   - ignoringAdded: Whether to ignore additional parameters after the parameters of `other`.
  func isByteEqual(to other: RequestTarget, ignoringAdded: Bool) -> Bool {
    func bytes(_ target: RequestTarget, _ parameters: some Sequence<Parameter>) -> [[UInt8]?] {
      [target.bucket, target.key].map { $0.map { Array($0.utf8) } }
        + parameters.flatMap { [Array($0.name.utf8), $0.value.map { Array($0.utf8) }] }
    }
    let kept = ignoringAdded ? parameters.prefix(other.parameters.count) : parameters[...]
    return bytes(self, kept) == bytes(other, other.parameters)
  }
}
