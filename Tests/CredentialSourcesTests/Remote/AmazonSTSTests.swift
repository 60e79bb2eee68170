// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import CredentialSources
@testable import S3Auth

/// Tests the requests to AWS STS, and the handling of its responses.
final class AmazonSTSTests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)
  private let role = "arn:aws:iam::123456789012:role/uploader"

  private static func answer(
    _ action: String, id: String? = "STS.id", secret: String? = RemoteService.secretText,
    token: String? = RemoteService.tokenText, end: String? = "2027-01-15T09:00:00Z"
  ) -> String {
    let fields = [
      ("AccessKeyId", id), ("SecretAccessKey", secret), ("SessionToken", token), ("Expiration", end),
    ].map { name, value in value.map { "<\(name)>\($0)</\(name)>" } ?? "" }.joined(separator: "\n")
    return """
      <\(action)Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><\(action)Result>
      <Credentials>\(fields)</Credentials>
      <AssumedRoleUser><Arn>arn:aws:sts::1:assumed-role/x/alice</Arn><AssumedRoleId>A:alice</AssumedRoleId></AssumedRoleUser>
      </\(action)Result><ResponseMetadata><RequestId>R-1</RequestId></ResponseMetadata></\(action)Response>
      """
  }

  private func assumeRole(
    _ transport: some HTTPTransport, session: String = "alice", duration: Duration = .seconds(3600),
    policy: String? = nil, externalID: String? = nil, endpoint: AmazonSTSEndpoint = .region("eu-central-1"),
    role: String? = nil
  ) -> BoundCredentialProvider<AmazonAssumeRoleProvider> {
    AmazonAssumeRoleProvider(
      roleARN: role ?? self.role, sessionName: session, credentials: RemoteService.ownTemporaryKey, duration: duration,
      policy: policy, externalID: externalID, endpoint: endpoint
    ).bound(to: ProviderContext(transport: transport, time: time))
  }

  private func webIdentity(
    _ transport: some HTTPTransport, by time: (any SigningClock)? = nil,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret = RemoteService.readIdentity
  ) -> BoundCredentialProvider<AmazonWebIdentityProvider> {
    AmazonWebIdentityProvider(
      roleARN: role, sessionName: "pod", endpoint: .region("eu-central-1"), token: token
    ).bound(to: ProviderContext(transport: transport, time: time ?? self.time))
  }

  // matrix: Amazon STS: answers
  func testCallIsSignedAndContainsAllParameters() async throws {
    let transport = ScriptedTransport([.xml(Self.answer("AssumeRole"), headers: RemoteService.date)])
    let policy = #"{"Version":"2012-10-17","Statement":[]}"#
    let provider = assumeRole(transport, duration: .seconds(900), policy: policy, externalID: "a/b+c")
    let issued = try await provider.issue(in: .local)
    XCTAssertEqual(
      issued.credential,
      AccessKey(
        id: "STS.id", secret: RemoteService.secretText, sessionToken: RemoteService.tokenText,
        expiration: RemoteService.end))
    XCTAssertEqual(issued.issuerTime, RemoteService.now)
    let sent = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(provider.source, "Amazon STS AssumeRole (\(role))")
    XCTAssertEqual(sent.method, .post)
    XCTAssertEqual(sent.url, "https://sts.eu-central-1.amazonaws.com/")
    XCTAssertEqual(
      FormPair.read(sent.text),
      [
        FormPair("Action", "AssumeRole"), FormPair("Version", "2011-06-15"), FormPair("RoleArn", role),
        FormPair("RoleSessionName", "alice"), FormPair("DurationSeconds", "900"), FormPair("Policy", policy),
        FormPair("ExternalId", "a/b+c"),
      ])
    XCTAssertEqual(sent.header("Accept"), "application/xml", "the service would respond with JSON on request")
    XCTAssertEqual(sent.header("Content-Type"), "application/x-www-form-urlencoded; charset=utf-8")
    XCTAssertEqual(sent.header("X-Amz-Date"), "20270115T080000Z")
    XCTAssertEqual(sent.header("X-Amz-Security-Token"), RemoteService.ownToken)
    let authorization = try XCTUnwrap(sent.header("Authorization").flatMap(ServiceAuthorization.init))
    XCTAssertEqual(authorization.algorithm, "AWS4-HMAC-SHA256")
    XCTAssertEqual(authorization.credential, "STS.asks/20270115/eu-central-1/sts/aws4_request")
    XCTAssertEqual(authorization.signedHeaders, ["content-type", "host", "x-amz-date", "x-amz-security-token"])
    let expected = try SigV4Signature(region: "eu-central-1", service: "sts", date: RemoteService.now).signature(
      of: ServiceCall(sent.head, body: sent.body), signing: authorization.signedHeaders,
      secret: Secret(RemoteService.ownSecret))
    XCTAssertEqual(authorization.signature, expected)
  }

  func testEachEndpointIsRequestedAndSignedForItsRegion() async throws {
    for (endpoint, url, region) in [
      (AmazonSTSEndpoint.global, "https://sts.amazonaws.com/", "us-east-1"),
      (.region("us-gov-west-1"), "https://sts.us-gov-west-1.amazonaws.com/", "us-gov-west-1"),
      (.region("cn-north-1"), "https://sts.cn-north-1.amazonaws.com.cn/", "cn-north-1"),
      (.url("http://127.0.0.1:9000"), "http://127.0.0.1:9000/", "us-east-1"),
      (.url("https://minio.example.com", region: "garage"), "https://minio.example.com/", "garage"),
    ] {
      let transport = ScriptedTransport([.xml(Self.answer("AssumeRole"))])
      _ = try await assumeRole(transport, endpoint: endpoint).credential()
      XCTAssertEqual(transport.requests.first?.url, url)
      XCTAssertEqual(transport.requests.first?.header("Authorization")?.contains("/\(region)/sts/"), true, url)
    }
    let transport = ScriptedTransport([])
    for endpoint in [
      AmazonSTSEndpoint.region("x.evil.test/#"), .region("evil.test/"), .region(""), .region("EU"), .region("-a"),
      .url("http://sts.example.com"), .url("https://sts.example.com", region: "a/b"),
    ] {
      let error = await failure(of: assumeRole(transport, endpoint: endpoint), "\(endpoint)")
      XCTAssertEqual(error?.code, .failed, "\(endpoint)")
    }
    XCTAssertTrue(transport.requests.isEmpty)
  }

  func testParametersBeyondTheLimitsAreNotSent() async throws {
    let transport = ScriptedTransport([])
    let long = String(repeating: "x", count: 2048)
    let cases: [(BoundCredentialProvider<AmazonAssumeRoleProvider>, String)] = [
      (assumeRole(transport, duration: .seconds(899)), "900 to 43200"),
      (assumeRole(transport, duration: .seconds(43_201)), "900 to 43200"),
      (assumeRole(transport, session: "a"), "2 to 64"), (assumeRole(transport, session: "two words"), "2 to 64"),
      (assumeRole(transport, policy: #"{"a":"\#(long)"}"#), "2048"), (assumeRole(transport, policy: "all"), "JSON"),
      (assumeRole(transport, externalID: "x"), "2 to 1224"), (assumeRole(transport, role: ""), "arn:aws:iam::"),
      (assumeRole(transport, externalID: "two words"), "digits and _+=,.@:/-"),
      (assumeRole(transport, role: "acs:ram::1:role/x"), "arn:aws:iam::"),
      (assumeRole(transport, role: "arn:aws:iam::1:"), "arn:aws:iam::"),
      (assumeRole(transport, role: "arn:aws:iam::1:role/\(long)"), "arn:aws:iam::"),
    ]
    for (provider, text) in cases {
      let error = await failure(of: provider, text)
      XCTAssertEqual(error?.code, .failed, text)
      XCTAssertEqual(error?.description.contains(text), true, "\(text): \(error?.description ?? "")")
    }
    XCTAssertTrue(transport.requests.isEmpty)
  }

  // matrix: Amazon STS: bad input
  func testInvalidResponsesAreMalformed() async throws {
    let good = Self.answer("AssumeRole")
    let twice = good.replacing("<Credentials>", with: "<Credentials><AccessKeyId>other</AccessKeyId>")
    let cases: [(String, says: String, isRetryable: Bool)] = [
      ("", "no XML", true), ("{}", "no XML", true), (String(good.dropLast(20)), "cut off", true),
      ("<!DOCTYPE a [<!ENTITY b \"c\">]>" + good, "no XML", true), ("<html/>", "no AssumeRoleResponse", false),
      (Self.answer("AssumeRoleWithWebIdentity"), "no AssumeRoleResponse", false),
      ("<AssumeRoleResponse/>", "AssumeRoleResult", false),
      ("<AssumeRoleResponse><AssumeRoleResult/></AssumeRoleResponse>", "Credentials", false), (twice, "twice", false),
      (good.replacing("<Credentials>", with: "<Credentials/><Credentials>"), "more than one", false),
      (String(repeating: "<a>", count: 20) + String(repeating: "</a>", count: 20), "no XML", true),
      (good.replacing("<Arn>", with: String(repeating: "<b/>", count: 300) + "<Arn>"), "no XML", true),
      (Self.answer("AssumeRole", id: nil), "AccessKeyId", false),
      (Self.answer("AssumeRole", secret: nil), "SecretAccessKey", false),
      (Self.answer("AssumeRole", token: ""), "SessionToken", false),
      (Self.answer("AssumeRole", end: nil), "Expiration", false),
      (Self.answer("AssumeRole", end: "soon"), "Expiration", false),
      (Self.answer("AssumeRole", id: "two words"), "cannot be used", false),
      (Self.answer("AssumeRole", token: "line\nbreak"), "cannot be used", false),
    ]
    for (body, says, isRetryable) in cases {
      let error = await failure(of: assumeRole(ScriptedTransport([.xml(body)])), body)
      XCTAssertEqual(error?.code, .malformedResponse, body)
      XCTAssertEqual(error?.message.contains(says), true, "\(body): \(error?.message ?? "")")
      XCTAssertEqual(error?.isRetryable, isRetryable, body)
    }
  }

  // matrix: Amazon STS: refusal
  func testErrorsAreReportedWithCodeRequestIDAndRemedy() async throws {
    let cases: [(String, CredentialError.Code, String)] = [
      ("AccessDenied", .rejected, "trust policy"), ("ExpiredTokenException", .rejected, "new token"),
      ("InvalidClientTokenId", .rejected, "access key id"), ("SignatureDoesNotMatch", .rejected, "secret"),
      ("RegionDisabledException", .rejected, "Activate"), ("MalformedPolicyDocument", .rejected, "policy"),
      ("PackedPolicyTooLarge", .rejected, "Shorten"), ("Throttling", .failed, "later"),
      ("SomethingNew", .rejected, "vendor"),
    ]
    for (code, kind, remedy) in cases {
      let error = await failure(of: assumeRole(ScriptedTransport([amazonRefusal(code)])), code)
      XCTAssertEqual(error?.code, kind, code)
      XCTAssertEqual(error?.isRetryable, kind == .failed, code)
      XCTAssertEqual(error?.message.contains("\(code): No. (request R-7)"), true, error?.message ?? "")
      XCTAssertEqual(error?.remedy.contains(remedy), true, error?.remedy ?? "")
    }
    let down = await failure(of: assumeRole(ScriptedTransport([.text("<html>", status: 503)])))
    XCTAssertEqual(down?.isRetryable, true)
  }

  // matrix: Amazon STS: clock
  func testWrongClockIsCorrectedOnceAndTheCorrectionRetained() async throws {
    let replies = Tick()
    let transport = ScriptedTransport { _ in
      replies.next() == 0
        ? amazonRefusal(
          "SignatureDoesNotMatch", "Signature expired", date: "Fri, 15 Jan 2027 08:20:00 GMT", status: 403)
        : .xml(Self.answer("AssumeRole"))
    }
    let provider = assumeRole(transport)
    _ = try await provider.issue(in: .local)
    time.advance(by: .seconds(60))
    _ = try await provider.issue(in: .local)
    XCTAssertEqual(
      transport.requests.map { $0.header("X-Amz-Date") },
      ["20270115T080000Z", "20270115T082000Z", "20270115T082100Z"])
  }

  func testWrongSecretIsSentOnce() async throws {
    let transport = ScriptedTransport { _ in
      amazonRefusal("SignatureDoesNotMatch", date: "Fri, 15 Jan 2027 08:00:10 GMT", status: 403)
    }
    let error = await failure(of: assumeRole(transport))
    XCTAssertEqual(error?.code, .rejected)
    XCTAssertEqual(transport.requests.count, 1)
  }

  // matrix: Amazon STS: credential redaction
  func testSecretsInAResponseAreMasked() async throws {
    let message = "string is \(RemoteService.ownToken) \(RemoteService.ownSecret) \(RemoteService.secretText)"
    let body = """
      <ErrorResponse><Error><Code>AccessDenied</Code><Message>\(message)</Message>\
      <SecretAccessKey>\(RemoteService.secretText)</SecretAccessKey></Error></ErrorResponse>
      """
    let error = await failure(of: assumeRole(ScriptedTransport([.xml(body, status: 403)])))
    XCTAssertEqual(error?.message.contains("string is \(Secret.mask)"), true, error?.message ?? "")
    let refused = amazonRefusal("InvalidIdentityToken", "The token \(RemoteService.identityToken) is not ours.")
    let transport = ScriptedTransport { _ in refused }
    let second = await failure(of: webIdentity(transport))
    XCTAssertEqual(second?.message.contains("is not ours"), true)
  }

  // MARK: Web identity

  func testIdentityTokenIsReadForEachRequestAndSentUnsigned() async throws {
    let transport = ScriptedTransport { _ in .xml(Self.answer("AssumeRoleWithWebIdentity")) }
    let reads = Tick()
    let provider = webIdentity(transport) { () async throws(CredentialError) in Secret("token-\(reads.next())/+=\n") }
    _ = try await provider.credential()
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.count, 2)
    for (index, request) in transport.requests.enumerated() {
      XCTAssertNil(request.header("Authorization"))
      XCTAssertEqual(
        FormPair.read(request.text),
        [
          FormPair("Action", "AssumeRoleWithWebIdentity"), FormPair("Version", "2011-06-15"),
          FormPair("RoleArn", role), FormPair("RoleSessionName", "pod"), FormPair("DurationSeconds", "3600"),
          FormPair("WebIdentityToken", "token-\(index)/+="),
        ])
    }
    let empty = await failure(
      of: webIdentity(ScriptedTransport([])) { () async throws(CredentialError) in Secret(" ") })
    XCTAssertEqual(empty?.code, .failed)
  }

  func testReplacedTokenIsReadAgainOnce() async throws {
    let reads = Tick()
    let transport = ScriptedTransport { request in
      request.text.hasSuffix("token-1")
        ? .xml(Self.answer("AssumeRoleWithWebIdentity")) : amazonRefusal("InvalidIdentityToken")
    }
    let provider = webIdentity(transport) { () async throws(CredentialError) in Secret("token-\(reads.next())") }
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.count, 2)
    let error = await failure(of: provider)
    XCTAssertEqual(error?.code, .rejected)
    XCTAssertEqual(transport.requests.count, 4)
  }

  func testUnreachableIdentityProviderIsRetried() async throws {
    let transport = ScriptedTransport { _ in amazonRefusal("IDPCommunicationError") }
    let pauses = PausingTime(time)
    let error = await failure(of: webIdentity(transport, by: pauses))
    XCTAssertEqual(error?.code, .failed)
    XCTAssertEqual(error?.isRetryable, true)
    XCTAssertEqual(transport.requests.count, 3)
    XCTAssertEqual(pauses.pauses, [.seconds(1), .seconds(2)])
  }

  func testCancelledRetryDelayIsReported() async throws {
    let transport = ScriptedTransport { _ in amazonRefusal("IDPCommunicationError") }
    let error = await failure(of: webIdentity(transport, by: PausingTime(time, isCancelled: true)))
    XCTAssertEqual(error?.code, .cancelled)
    XCTAssertEqual(transport.requests.count, 1)
  }

  // MARK: Common behaviour

  // matrix: Amazon STS: time limit
  func testSlowServiceTimesOut() async throws {
    let held = ScriptedTransport { _ in .xml("") }
    held.hold()
    let provider = assumeRole(held)
    async let failed = failure(of: provider)
    await held.wait(forRequests: 1)
    await time.wait(forSleeps: 1)
    time.advance(by: .seconds(10))
    let error = await failed
    XCTAssertEqual(error?.code, .timeout)
  }

  func testBothProvidersConform() async {
    let secrets = ["s3cretOfTheAnswer", "tokenOfTheAnswer", "s3cretThatAsks", "tokenThatAsks"]
    func transport(_ reply: @escaping @Sendable () -> HTTPStreamingResponse) -> ScriptedTransport {
      ScriptedTransport { _ in reply() }
    }
    func report(
      _ action: String, _ make: (ScriptedTransport) -> some CredentialProvider<AccessKey>
    ) async -> ConformanceReport {
      let body = Self.answer(action)
      let held = transport { .xml(body) }
      held.hold()
      return await ProviderConformance(
        make(transport { .xml(body) }),
        failing: [
          make(transport { .xml(String(body.dropLast(9))) }), make(transport { amazonRefusal("AccessDenied") }),
          make(transport { .status(503) }),
        ], waiting: make(held), secrets: secrets, concurrency: 20, in: ProviderContext(time: time)
      ).report()
    }
    let first = await report("AssumeRole") { assumeRole($0) }
    XCTAssertTrue(first.isConforming, "\(first)")
    let second = await report("AssumeRoleWithWebIdentity") { webIdentity($0) }
    XCTAssertTrue(second.isConforming, "\(second)")
  }
}

/// Clocks that stand still, and on which short delays end immediately.
private final class PausingTime: SigningClock {
  private let base: ManualClock
  private let isCancelled: Bool
  private let taken = Lock<[Duration]>([])

  init(_ base: ManualClock, isCancelled: Bool = false) {
    self.base = base
    self.isCancelled = isCancelled
  }

  var now: Timestamp { base.now }
  var uptime: Duration { base.uptime }
  var pauses: [Duration] { taken.withLock { $0 } }

  func sleep(for duration: Duration) async throws {
    guard duration < .seconds(10) else { return try await base.sleep(for: duration) }
    if isCancelled { throw CancellationError() }
    taken.withLock { $0.append(duration) }
  }
}
