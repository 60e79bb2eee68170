// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import CredentialSources
@testable import S3Auth

/// Tests the requests to AWS's instance metadata service and to the container credentials endpoint.
final class AmazonMetadataTests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)
  private let path = "/latest/meta-data/iam/security-credentials/"

  private func instance(
    role: String? = nil, allowsV1: Bool = true, _ script: @escaping ScriptedTransport.Script
  ) -> (BoundCredentialProvider<AmazonInstanceMetadataProvider>, ScriptedTransport) {
    let transport = ScriptedTransport(script)
    return (
      AmazonInstanceMetadataProvider(role: role, allowsV1: allowsV1).bound(
        to: ProviderContext(transport: transport, time: time)), transport
    )
  }

  private static func answer(to path: String, token status: Int = 200) -> HTTPStreamingResponse {
    switch path {
    case "/latest/api/token": .text("the-token", status: status)
    case "/latest/meta-data/iam/security-credentials/": .text("my-role")
    case "/latest/meta-data/iam/security-credentials/my-role": .json(RemoteService.amazonMetadata.answer)
    default: .status(404)
    }
  }

  func testIMDSv2IsTriedFirst() async throws {
    let (provider, transport) = instance { Self.answer(to: $0.path) }
    _ = try await provider.credential()
    let sent = transport.requests
    XCTAssertEqual(
      sent.map(\.url), ["/latest/api/token", path, path + "my-role"].map { "http://169.254.169.254" + $0 })
    XCTAssertEqual(sent.map(\.method), [.put, .get, .get])
    XCTAssertEqual(sent[0].header("x-aws-ec2-metadata-token-ttl-seconds"), "21600")
    XCTAssertEqual(sent.map { $0.header("x-aws-ec2-metadata-token") }, [nil, "the-token", "the-token"])
    let (named, asked) = instance(role: "my-role") { Self.answer(to: $0.path) }
    _ = try await named.credential()
    XCTAssertEqual(asked.requests.map(\.path), ["/latest/api/token", path + "my-role"])
    let (unknown, _) = instance(role: "other") { Self.answer(to: $0.path) }
    let error = await failure(of: unknown)
    XCTAssertEqual(error?.code, .failed)
  }

  func testIMDSv1IsUsedWithoutTokenSupport() async throws {
    for status in [403, 404, 405] {
      let (provider, transport) = instance { Self.answer(to: $0.path, token: status) }
      _ = try await provider.credential()
      XCTAssertEqual(transport.requests.count, 3)
      XCTAssertTrue(transport.requests.allSatisfy { $0.header("x-aws-ec2-metadata-token") == nil })
      let (strict, asked) = instance(allowsV1: false) { Self.answer(to: $0.path, token: status) }
      let error = await failure(of: strict)
      XCTAssertEqual(error?.code, .failed)
      XCTAssertEqual(error?.message.contains("not allowed"), true)
      XCTAssertEqual(asked.requests.count, 1)
    }
    for status in [400, 500] {
      let (broken, asked) = instance { Self.answer(to: $0.path, token: status) }
      let error = await failure(of: broken)
      XCTAssertEqual(error?.code, .failed)
      XCTAssertEqual(error?.isRetryable, status == 500)
      XCTAssertEqual(asked.requests.count, 1)
    }
  }

  func testUnansweredTokenRequestFallsBackToIMDSv1() async throws {
    let silent: ScriptedTransport.Script = { request throws(TransportError) in
      if request.path == "/latest/api/token" { throw TransportError(.timeout, "Silence.", remedy: "Wait.") }
      return Self.answer(to: request.path)
    }
    let (provider, transport) = instance(silent)
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.count, 3)
    let (strict, _) = instance(allowsV1: false, silent)
    let error = await failure(of: strict)
    XCTAssertEqual(error?.code, .notConfigured)
  }

  func testExpiredTokenIsRenewedOnce() async throws {
    let tokens = Tick()
    let (provider, transport) = instance { request in
      if request.path == "/latest/api/token" { return .text("token-\(tokens.next())") }
      return request.header("x-aws-ec2-metadata-token") == "token-0" ? .status(401) : Self.answer(to: request.path)
    }
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.count, 5)
    let (never, asked) = instance { $0.path == "/latest/api/token" ? .text("token") : .status(401) }
    let error = await failure(of: never)
    XCTAssertEqual(error?.code, .failed)
    XCTAssertEqual(error?.message.contains("401"), true)
    XCTAssertEqual(asked.requests.count, 4)
  }

  func testMachineThatIsNotAnInstanceIsNotConfigured() async throws {
    for code in [TransportError.Code.connectionFailed, .connectionLost, .timeout] {
      let (provider, _) = instance { _ throws(TransportError) in
        throw TransportError(code, "No route.", remedy: "None.")
      }
      let error = await failure(of: provider)
      XCTAssertEqual(error?.code, .notConfigured)
      XCTAssertEqual(error?.message.contains("No route."), true)
    }
    let (empty, _) = instance { $0.path == "/latest/api/token" ? .text("token") : .status(404) }
    let error = await failure(of: empty)
    XCTAssertEqual(error?.message, "The instance has no role.")
    XCTAssertEqual(error?.code, .notConfigured)
  }

  func testVariablesDisableTheServiceAndNameItsEndpoint() async throws {
    func asked(_ variables: [String: String]) async -> (ScriptedTransport, CredentialError?) {
      let transport = ScriptedTransport { _ throws(TransportError) in
        throw TransportError(.connectionFailed, "No route.", remedy: "None.")
      }
      let machine = ProviderContext(
        environment: { variables[$0] }, home: nil, files: SystemFiles(), transport: transport, time: time)
      return (transport, await failure(of: AmazonInstanceRoleProvider().bound(to: machine)))
    }
    let (off, why) = await asked(["AWS_EC2_METADATA_DISABLED": "True"])
    XCTAssertEqual(why?.code, .notConfigured)
    XCTAssertEqual(why?.message.contains("AWS_EC2_METADATA_DISABLED"), true)
    XCTAssertTrue(off.requests.isEmpty)
    let (sixth, _) = await asked(["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"])
    XCTAssertEqual(sixth.requests.first?.url, "http://[fd00:ec2::254]/latest/api/token")
    let (own, _) = await asked([
      "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "ipv4", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1338/",
    ])
    XCTAssertEqual(own.requests.first?.url, "http://127.0.0.1:1338/latest/api/token")
    let (none, mode) = await asked(["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv5"])
    XCTAssertEqual(mode?.code, .failed)
    XCTAssertTrue(none.requests.isEmpty)
  }

  func testProfileForbidsIMDSv1AndNamesTheEndpoint() async throws {
    let memory = MemoryMachine(files: [
      "/home/mia/.aws/config": """
      [default]
      ec2_metadata_v1_disabled = true
      [profile open]
      ec2_metadata_v1_disabled = false
      ec2_metadata_service_endpoint_mode = IPv6
      [profile own]
      ec2_metadata_service_endpoint = http://127.0.0.1:1338
      ec2_metadata_service_endpoint_mode = IPv6
      [profile role]
      role_arn = arn:aws:iam::1:role/r
      source_profile = base
      ec2_metadata_v1_disabled = true
      [profile base]
      role_arn = arn:aws:iam::1:role/b
      credential_source = Ec2InstanceMetadata
      [profile wrong]
      ec2_metadata_service_endpoint_mode = IPv5
      """
    ])
    func urls(
      _ provider: some CredentialProvider<AccessKey>, _ code: CredentialError.Code?, line: UInt = #line
    ) async -> [String] {
      let transport = ScriptedTransport { Self.answer(to: $0.path, token: 403) }
      var machine = memory.access
      machine.transport = transport
      machine.time = time
      do throws(CredentialError) {
        _ = try await provider.bound(to: machine).credential()
        XCTAssertNil(code, line: line)
      } catch { XCTAssertEqual(error.code, code, "\(error)", line: line) }
      return transport.requests.map(\.url)
    }
    let token = "/latest/api/token"
    let ipv4 = "http://169.254.169.254"
    func instance(_ profile: String? = nil) -> AmazonInstanceRoleProvider {
      AmazonInstanceRoleProvider(profileName: profile)
    }
    let forbidden = await urls(instance(), .failed)
    XCTAssertEqual(forbidden, [ipv4 + token])
    let open = await urls(instance("open"), nil)
    XCTAssertEqual(open, [token, path, path + "my-role"].map { "http://[fd00:ec2::254]" + $0 })
    let own = await urls(instance("own"), nil)
    XCTAssertEqual(own.first, "http://127.0.0.1:1338" + token)
    let wrong = await urls(instance("wrong"), .failed)
    XCTAssertEqual(wrong, [])
    let role = await urls(ProfileCredentialProvider.amazonProfile("role"), .failed)
    XCTAssertEqual(role, [ipv4 + token], "the chosen profile forbids it for its source profile")
    let metadata = try XCTUnwrap(AmazonCredentials(profile: "own").metadata)
    let chain = await urls(CredentialChain([metadata]), nil)
    XCTAssertEqual(chain.first, "http://127.0.0.1:1338" + token)
    memory.set("AWS_PROFILE", to: "gone")
    let gone = await urls(instance(), nil)
    XCTAssertEqual(gone.count, 3)
    memory.set("AWS_PROFILE", to: nil)
    memory.set("AWS_EC2_METADATA_V1_DISABLED", to: "false")
    let allowed = await urls(instance(), nil)
    XCTAssertEqual(allowed.count, 3, "the variable overrides the profile")
    memory.set("AWS_EC2_METADATA_SERVICE_ENDPOINT", to: "http://127.0.0.1:1339")
    let overridden = await urls(instance("own"), nil)
    XCTAssertEqual(overridden.first, "http://127.0.0.1:1339" + token)
  }

  // MARK: Containers

  private func container(
    _ variables: [String: String], files: [String: String] = [:],
    _ script: @escaping ScriptedTransport.Script = { _ in .json(RemoteService.amazonContainer.answer) }
  ) -> (BoundCredentialProvider<AmazonContainerProvider>, ScriptedTransport) {
    let memory = MemoryMachine(environment: variables, files: files)
    let transport = ScriptedTransport(script)
    var machine = memory.access
    machine.transport = transport
    machine.time = time
    return (AmazonContainerProvider().bound(to: machine), transport)
  }

  private let relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
  private let full = "AWS_CONTAINER_CREDENTIALS_FULL_URI"

  func testContainerEndpointIsRequested() async throws {
    for (variables, url) in [
      ([relative: "/v2/credentials/1?a=b"], "http://169.254.170.2/v2/credentials/1?a=b"),
      ([relative: "/r", full: "http://127.0.0.1/f"], "http://169.254.170.2/r"),
      ([full: "https://keys.example.com/f"], "https://keys.example.com/f"),
      ([full: "http://169.254.170.23/v1/credentials"], "http://169.254.170.23/v1/credentials"),
      ([full: "http://169.254.170.2:8080/f"], "http://169.254.170.2:8080/f"),
      ([full: "http://[fd00:ec2::23]/v1/credentials"], "http://[fd00:ec2::23]/v1/credentials"),
      ([full: "http://localhost:1234/f"], "http://localhost:1234/f"), ([full: "http://[::1]/f"], "http://[::1]/f"),
    ] {
      let (provider, transport) = container(variables)
      let key = try await provider.credential()
      XCTAssertEqual(key.sessionToken, Secret(RemoteService.tokenText))
      XCTAssertEqual(transport.requests.map(\.url), [url])
      XCTAssertNil(transport.requests.first?.header("Authorization"))
    }
  }

  func testOtherContainerEndpointsRequireHTTPS() async throws {
    let (unset, _) = container([:])
    let error = await failure(of: unset)
    XCTAssertEqual(error?.code, .notConfigured)
    for variables in [
      [full: "http://169.254.169.254/f"], [full: "http://keys.example.com/f"],
      [full: "http://169.254.170.2.evil.test/"],
      [full: "http://169.254.170.2@evil.test/"], [full: "169.254.170.2/f"], [full: "ftp://127.0.0.1/f"],
      [relative: "@evil.test/f"], [relative: ".evil.test/f"], [relative: "http://evil.test/"],
      [relative: "/a#b"], [relative: "/a b"],
    ] {
      let (provider, transport) = container(variables)
      let error = await failure(of: provider, "\(variables)")
      XCTAssertEqual(error?.code, .failed, "\(variables)")
      XCTAssertTrue(transport.requests.isEmpty, "\(variables)")
    }
  }

  func testTokenComesFromTheFileOrTheVariable() async throws {
    let name = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
    let (plain, sent) = container([relative: "/r", name: "Basic abc"])
    _ = try await plain.credential()
    XCTAssertEqual(sent.requests.first?.header("Authorization"), "Basic abc")

    let memory = MemoryMachine(
      environment: [relative: "/r", name: "Basic abc", name + "_FILE": "/run/token"], files: ["/run/token": "first"])
    let transport = ScriptedTransport { _ in .json(RemoteService.amazonContainer.answer) }
    var machine = memory.access
    machine.transport = transport
    machine.time = time
    let provider = AmazonContainerProvider().bound(to: machine)
    _ = try await provider.credential()
    memory.put("/run/token", "second")
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.map { $0.header("Authorization") }, ["first", "second"])
  }

  func testTokenWithALineBreakIsRejected() async throws {
    let name = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
    for token in ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\n", "\u{0}"] {
      let (provider, transport) = container([relative: "/r", name: token])
      let error = await failure(of: provider, token)
      XCTAssertEqual(error?.code, .failed, token)
      let (file, asked) = container([relative: "/r", name + "_FILE": "/run/token"], files: ["/run/token": token])
      let second = await failure(of: file, token)
      XCTAssertEqual(second?.code, .failed, token)
      XCTAssertTrue(transport.requests.isEmpty && asked.requests.isEmpty, token)
    }
    let (missing, _) = container([relative: "/r", name + "_FILE": "/run/token"])
    let error = await failure(of: missing)
    XCTAssertEqual(error?.message.contains("/run/token"), true)
  }

  // matrix: Amazon container: refusal
  func testErrorIsReportedWithItsCodeAndServerErrorsAreRetried() async throws {
    let (refused, once) = container([relative: "/r"]) { _ in
      .json(#"{"code":"AccessDenied","message":"No role for \#(RemoteService.ownToken)."}"#, status: 403)
    }
    let error = await failure(of: refused, secrets: [])
    XCTAssertEqual(error?.code, .rejected)
    XCTAssertEqual(error?.message.contains("AccessDenied: No role for"), true)
    XCTAssertEqual(once.requests.count, 1)

    let tries = Tick()
    let (slow, asked) = container([relative: "/r"]) { _ in
      tries.next() < 2 ? .status(503) : .json(RemoteService.amazonContainer.answer)
    }
    _ = try await slow.credential()
    XCTAssertEqual(asked.requests.count, 3)
    let (down, counted) = container([relative: "/r"]) { _ in .status(500) }
    let last = await failure(of: down)
    XCTAssertEqual(last?.isRetryable, true)
    XCTAssertEqual(counted.requests.count, 3)
  }

  // matrix: Amazon container: credential redaction
  func testContainerTokenInAnErrorResponseIsMasked() async throws {
    let (provider, _) = container([relative: "/r", "AWS_CONTAINER_AUTHORIZATION_TOKEN": RemoteService.ownToken]) { _ in
      .json(#"{"code":"Bad","message":"The token \#(RemoteService.ownToken) is not ours."}"#, status: 400)
    }
    let error = await failure(of: provider)
    XCTAssertEqual(error?.message.contains("is not ours"), true)
  }
}
