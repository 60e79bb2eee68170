// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A conformance suite for signers of strings, which checks an implementation against each ``StringToSignSignerRule``.
///
/// The strings are those that a client's signer in two steps prepares:
///
/// ```swift
/// let report = StringToSignSignerConformance(OBSStringToSignSigner(), client: OBSSigner(), samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct StringToSignSignerConformance<
  Subject: StringToSignSigner, Client: TwoStepSigner<AccessKey> & Presigner<AccessKey>
>: Sendable {
  let signer: Subject
  let client: Client
  let samples: [SigningSample<AccessKey>]
  let ambiguities: [(request: HTTPRequest, targets: [RequestTarget])]

  /// Creates a suite for a signer of strings.
  ///
  /// `client` is the client's signer, which prepares the strings of `samples`, all of which the signer must parse. A
  /// policy for all objects of the bucket must allow at least one of the samples; the rules about policies and changed
  /// strings use only these. `ambiguities` are requests whose string to sign is also that of another request, each with
  /// all targets. They exist in schemes that sign decoded values.
  public init(
    _ signer: Subject, client: Client, samples: [SigningSample<AccessKey>],
    ambiguities: [(request: HTTPRequest, targets: [RequestTarget])] = []
  ) {
    self.signer = signer
    self.client = client
    self.samples = samples
    self.ambiguities = ambiguities
  }

  /// Checks rules, and returns a report about the signer with one check for each of them.
  public func report(_ rules: [StringToSignSignerRule] = StringToSignSignerRule.allCases) -> ConformanceReport {
    ConformanceReport(of: Subject.self, rules, check)
  }

  private func check(_ rule: StringToSignSignerRule) throws -> Int {
    switch rule {
    case .parsing: try forPending(samples, checkParsing)
    case .signature: try forPending(samples, checkSignature)
    case .method: try forPending(samples, checkMethod)
    case .canonical: try forPending(Array(allowedSamples().prefix(2)), checkCanonical)
    case .policy: try forPending(allowedSamples(), checkPolicy)
    case .token: try forPending(samples, checkToken)
    case .ambiguity: try checkAmbiguities()
    case .secrecy: try forPending(samples, checkSecrecy)
    }
  }
}

/// A rule that an implementation of `StringToSignSigner` must follow.
public enum StringToSignSignerRule: String, CaseIterable, Sendable {
  /// A string is parsed into the request that it was prepared for.
  case parsing = "a prepared string is parsed into its request: method, target, placement, times and id"
  /// A signature is the one that the client would compute with the key.
  case signature = "the signature of a prepared string is that of signing in one step"
  /// The method is compared with the one in the string.
  case method = "a string with another method than the client's is rejected"
  /// Each request has one string to sign.
  case canonical = "a changed string is rejected, or parsed into another request"
  /// The policy is applied to the parsed target.
  case policy = "a string outside of the policy is rejected: another bucket, key or action"
  /// A string contains the token of the key that signs it.
  case token = "a string that was prepared for another id or session token than those of the key is rejected"
  /// Every request to which a signature applies is known.
  case ambiguity = "a string that stands for several requests has all of their targets, and needs permission for each"
  /// An error does not disclose secrets.
  case secrecy = "no secret and no token is in a refusal"
}

extension StringToSignSignerConformance {
  private typealias Sample = SigningSample<AccessKey>

  /// Returns the signatures of a sample that wait for their strings to be signed: of the request, and of a URL.
  private func pendingSignatures(of sample: Sample) throws(SigningError) -> [PendingSignature] {
    let identity = sample.credential.identity
    return [
      try client.prepare(sample.request, as: identity, in: .at(sample.date)),
      try client.prepare(presigning: sample.request, as: identity, validFor: .seconds(60), in: .at(sample.date)),
    ]
  }

  /// Runs a check with the pending signatures of samples, two of each, and returns the number of tries.
  private func forPending(_ samples: [Sample], _ check: (Sample, PendingSignature) throws -> Void) throws -> Int {
    try samples.checkEach { sample in
      for pending in try pendingSignatures(of: sample) {
        do throws(SigningRefusal) { _ = try signer.intent(of: SigningRequest(pending)) } catch {
          throw Violation("the string of the \(pending.isPresigned ? "URL" : "request") was rejected: \(error)")
        }
        try check(sample, pending)
      }
    } * 2
  }

  /// Returns the samples that a policy for all objects of their bucket allows.
  private func allowedSamples() throws -> [Sample] {
    let allowed = try samples.filter { sample in
      try pendingSignatures(of: sample).allSatisfy { pending in
        rejection(of: SigningRequest(pending), sample, under: Self.everything(in: sample)) == nil
      }
    }
    if allowed.isEmpty { throw NotTried(reason: "a policy for all objects allows no sample") }
    return allowed
  }

  private static func everything(in sample: Sample) -> AccessPolicy { policy(.all, in: sample.target?.bucket?.string) }

  private static func policy(_ objects: ObjectScope, in bucket: String?) -> AccessPolicy {
    AccessPolicy([AccessRule(.read, .write, .delete, .list, objects: objects, in: bucket ?? "")])
  }

  private func rejection(
    of request: SigningRequest, _ sample: Sample, with key: AccessKey? = nil, under policy: AccessPolicy
  ) -> SigningRefusal? {
    thrownError { () throws(SigningRefusal) in
      _ = try signer.sign(request, with: key ?? sample.credential, under: SigningRules(policy), at: sample.date)
    }
  }

  private func checkParsing(_ sample: Sample, _ pending: PendingSignature) throws {
    let intent = try signer.intent(of: SigningRequest(pending))
    try require(intent.method == sample.request.method, "the method is \(intent.method)")
    try require(intent.expiration == pending.expiration, "the expiration is \(intent.expiration?.iso8601 ?? "nil")")
    let placement = pending.isPresigned ? VerifiedRequest.Placement.query : .header
    try require(intent.placement ?? placement == placement, "the placement is another one")
    try require(intent.accessKeyID ?? sample.credential.id == sample.credential.id, "the access key ID is another one")
    guard let target = sample.target else { return }
    func parameterTexts(_ target: RequestTarget) -> Set<String> {
      let texts = target.parameters.map { parameter in
        let name = parameter.name.string
        let comparedName = intent.signableNames.ignoresParameterCase ? name.lowercased() : name
        return "\(comparedName)=\(parameter.value ?? "")"
      }
      return Set(texts)
    }
    try require(intent.target.bucket == target.bucket, "the bucket is \(intent.target.bucket ?? "nil")")
    try require(intent.target.key == target.key, "the key is \(intent.target.key ?? "nil")")
    try require(
      parameterTexts(intent.target) == parameterTexts(target), "the parameters are \(intent.target.parameters)")
  }

  private func checkSignature(_ sample: Sample, _ pending: PendingSignature) throws {
    let request = SigningRequest(pending)
    let signature = try signer.signature(
      of: request, signer.intent(of: request), with: sample.credential, at: sample.date)
    let finished = try client.finish(pending, signature: signature)
    guard pending.isPresigned else {
      let signed = try client.signed(sample.request, with: sample.credential, in: .at(sample.date))
      return try require(finished == signed, "the request with the signature is another one")
    }
    let signed = try client.presign(
      sample.request, with: sample.credential, validFor: .seconds(60), in: .at(sample.date))
    try require(signed.url.hasSuffix(finished.path ?? "?"), "the URL with the signature is another one")
  }

  private func checkMethod(_ sample: Sample, _ pending: PendingSignature) throws {
    for method in ["GET", "PUT", "get", "", "POST\n"] where method != pending.request.method.rawValue {
      let request = pending.request(method: method)
      try require((try? signer.intent(of: request)) == nil, "the method \(method.debugDescription) was accepted")
    }
  }

  private func checkCanonical(_ sample: Sample, _ pending: PendingSignature) throws {
    let original = try signer.intent(of: SigningRequest(pending)).content
    // A scheme with canonical requests must not accept an empty one, and a scheme without them must not accept any.
    let changedCanonicalRequests = Self.changes(of: pending.canonicalRequest ?? "")
      .union(pending.canonicalRequest == nil ? [] : [""])
    let changedRequests =
      Self.changes(of: pending.stringToSign).map { (text: $0, request: pending.request(stringToSign: $0)) }
      + changedCanonicalRequests.map { (text: $0, request: pending.request(canonicalRequest: $0)) }
    for (text, request) in changedRequests {
      guard rejection(of: request, sample, under: Self.everything(in: sample)) == nil else { continue }
      let parsed = try signer.intent(of: request).content
      try require(parsed != original, "another string was parsed into the same request: \(text.debugDescription)")
    }
  }

  /// Returns strings that differ from a given one in one byte, or by one at the end.
  private static func changes(of text: String) -> Set<String> {
    let bytes = Array(text.utf8)
    var changed: Set<String> = [text + "\n", text + " "]
    for index in bytes.indices {
      let (head, tail) = (Array(bytes[..<index]), Array(bytes[(index + 1)...]))
      let replacements = [[bytes[index] ^ 0x20], Array("%".utf8), []]
      let insertions = ["\n", "&"].map { Array($0.utf8) + [bytes[index]] }
      for middle in replacements + insertions { changed.insert(String(decoding: head + middle + tail, as: UTF8.self)) }
    }
    changed.remove(text)
    return changed
  }

  private func checkPolicy(_ sample: Sample, _ pending: PendingSignature) throws {
    let bucket = sample.target?.bucket?.string ?? ""
    let key = sample.target?.key?.string ?? ""
    let policies: [(name: String, policy: AccessPolicy)] = [
      ("another bucket", Self.policy(.all, in: bucket + "x")),
      ("another key", Self.policy(.key(key + "x"), in: bucket)),
      ("another prefix", Self.policy(.prefix(key + "/x"), in: bucket)), ("no operation", AccessPolicy([])),
    ]
    for (name, policy) in policies {
      let code = rejection(of: SigningRequest(pending), sample, under: policy)?.code
      try require(code == .notAllowed, "a policy for \(name) has the outcome \(code?.description ?? "signed")")
    }
  }

  private func checkToken(_ sample: Sample, _ pending: PendingSignature) throws {
    let ownRejection = rejection(of: SigningRequest(pending), sample, under: Self.everything(in: sample))
    try require(ownRejection?.code != .anotherKey, "with its own key it was rejected as that of another one")
    for (name, otherKey) in sample.credential.withOtherTokens {
      let error = rejection(of: SigningRequest(pending), sample, with: otherKey, under: Self.everything(in: sample))
      try require(error?.code == .anotherKey, "with \(name) it had the outcome \(error?.code.description ?? "signed")")
    }
  }

  private func checkAmbiguities() throws -> Int {
    guard let sample = samples.first, !ambiguities.isEmpty else {
      throw NotTried(reason: "no request shares its string to sign with another one")
    }
    return try ambiguities.tryEach { request, targets in
      let pending = try client.prepare(
        presigning: request, as: sample.credential.identity, validFor: .seconds(60), in: .at(sample.date))
      let intent = try signer.intent(of: SigningRequest(pending))
      let found = Set([intent.target] + intent.otherTargets)
      try require(found.isSuperset(of: targets), "the string of \(request.path ?? "") has the targets \(found)")
    }
  }

  private func checkSecrecy(_ sample: Sample, _ pending: PendingSignature) throws {
    let secrets = sample.secrets + [sample.credential.sessionToken?.reveal()].compactMap { $0 }
    let request = pending.request(stringToSign: pending.stringToSign + "\n")
    let otherKey = AccessKey(id: "another", secret: sample.credential.secret, sessionToken: "another token")
    let refusals = [
      rejection(of: request, sample, under: Self.everything(in: sample)),
      rejection(of: SigningRequest(pending), sample, under: AccessPolicy([])),
      rejection(of: SigningRequest(pending), sample, with: otherKey, under: Self.everything(in: sample)),
    ].compactMap { $0 }
    for refusal in refusals { try secrets.requireAbsent(fromDisplaysOf: refusal, "the refusal \(refusal.code)") }
  }
}

extension PendingSignature {
  fileprivate func request(
    method: String? = nil, stringToSign: String? = nil, canonicalRequest: String? = nil
  ) -> SigningRequest {
    SigningRequest(
      scheme, method: method ?? request.method.rawValue, stringToSign: stringToSign ?? self.stringToSign,
      canonicalRequest: canonicalRequest ?? self.canonicalRequest)
  }
}

extension AuthorizedRequest {
  /// The values of a parsed string to sign that are compared: all but the session token.
  fileprivate var content: [AnyHashable] { [method, target, headers, date, expiration, accessKeyID] }
}
