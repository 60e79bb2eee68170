// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import S3Auth

/// Tests the profiles of the configuration files that the AWS SDKs and tools share.
final class AmazonProfileTests: XCTestCase {
  private let machine = MemoryMachine()
  private let services = RecordedServices()

  private func provider(_ profile: String? = nil) -> BoundCredentialProvider<ProfileCredentialProvider<AccessKey>> {
    ProfileCredentialProvider.amazonProfile(profile, services: services.amazon).bound(to: machine.access)
  }

  private func put(credentials: String? = nil, config: String? = nil) {
    if let credentials { machine.put("/home/mia/.aws/credentials", credentials) }
    if let config { machine.put("/home/mia/.aws/config", config) }
  }

  private func keys(_ id: String) -> String { "aws_access_key_id = \(id)\naws_secret_access_key = s\n" }

  func testKeysAreReadFromBothFiles() async {
    put(
      credentials: "[default]\n\(keys("first"))[temp]\n\(keys("ASIA"))aws_session_token = t\n",
      config:
        "[default]\nregion = eu-west-1\n[profile other]\nAWS_ACCESS_KEY_ID=o\naws_secret_access_key=s\n[stray]\n\(keys("x"))"
    )
    await assertKey(provider(), AccessKey(id: "first", secret: "s"))
    await assertKey(provider("temp"), AccessKey(id: "ASIA", secret: "s", sessionToken: "t"))
    await assertKey(provider("other"), AccessKey(id: "o", secret: "s"))
    await assertRefuses(provider("stray"), .failed, says: ["“stray”", "[profile other]"])
    await assertRefuses(provider("Default"), .failed, says: ["“Default”"])
    machine.set("AWS_PROFILE", to: "temp")
    await assertKey(provider(), AccessKey(id: "ASIA", secret: "s", sessionToken: "t"))
    machine.set("AWS_DEFAULT_PROFILE", to: "other")
    await assertKey(provider(), AccessKey(id: "o", secret: "s"))
    machine.set("AWS_DEFAULT_PROFILE", to: "gone")
    await assertRefuses(provider(), .failed, says: ["“gone”"])
    await assertKey(provider("temp"), AccessKey(id: "ASIA", secret: "s", sessionToken: "t"))
  }

  func testPartsOfAKeyComeFromOneFile() async {
    put(
      credentials: "[default]\n\(keys("mine"))",
      config: "[profile default]\n\(keys("theirs"))aws_session_token = t\n[default]\n\(keys("old"))")
    await assertKey(provider(), AccessKey(id: "mine", secret: "s"))
    put(credentials: "[default]\naws_access_key_id = half\n")
    await assertRefuses(provider(), .malformedResponse, says: ["aws_secret_access_key"])
    put(credentials: "")
    await assertKey(provider(), AccessKey(id: "theirs", secret: "s", sessionToken: "t"))
  }

  func testProfileNamesMayContainSpacesAndQuotationMarks() async {
    put(config: "[profile \"two words\"]\n\(keys("a"))[profile\tone]\n\(keys("b"))[ profile  three ] # c\n\(keys("c"))")
    await assertKey(provider("two words"), AccessKey(id: "a", secret: "s"))
    await assertKey(provider("one"), AccessKey(id: "b", secret: "s"))
    await assertKey(provider("three"), AccessKey(id: "c", secret: "s"))
  }

  func testOtherFilesAreNamedByVariables() async {
    put(credentials: "[default]\n\(keys("usual"))")
    machine.put("/srv/keys", "[default]\n\(keys("own"))")
    machine.set("AWS_SHARED_CREDENTIALS_FILE", to: "/srv/keys")
    await assertKey(provider(), AccessKey(id: "own", secret: "s"))
    machine.set("AWS_CONFIG_FILE", to: "~/missing")
    await assertRefuses(provider(), .failed, says: ["AWS_CONFIG_FILE"])
    machine.set("AWS_CONFIG_FILE", to: "/dev/null")
    machine.set("AWS_SHARED_CREDENTIALS_FILE", to: "/dev/null")
    await assertRefuses(provider(), .notConfigured)
  }

  func testRoleIsAssumedWithTheKeyOfItsSourceProfile() async {
    put(
      credentials: "[base]\n\(keys("base"))",
      config: """
        [profile app]
        role_arn = arn:app
        source_profile = middle
        role_session_name = mia
        external_id = x/1
        duration_seconds = 900
        [profile middle]
        role_arn = arn:middle
        source_profile = base
        region = eu-west-1
        [profile instance]
        role_arn = arn:i
        credential_source = Ec2InstanceMetadata
        [profile task]
        role_arn = arn:t
        credential_source = EcsContainer
        [profile environment]
        role_arn = arn:e
        credential_source = Environment
        """)
    machine.set("AWS_REGION", to: "eu-central-1")
    let endpoint = "https://sts.eu-central-1.amazonaws.com"
    for profile in ["app", "instance", "task"] { await assertKey(provider(profile), RecordedServices.key, profile) }
    machine.set("AWS_ACCESS_KEY_ID", to: "env")
    machine.set("AWS_SECRET_ACCESS_KEY", to: "s")
    await assertKey(provider("environment"), RecordedServices.key)
    XCTAssertEqual(
      services.asked,
      [
        "arn:middle swift-storage-auth 3600.0 seconds - \(endpoint) with base",
        "arn:app mia 900.0 seconds x/1 \(endpoint) with STS.role", "instance",
        "arn:i swift-storage-auth 3600.0 seconds - \(endpoint) with STS.role", "container",
        "arn:t swift-storage-auth 3600.0 seconds - \(endpoint) with STS.role",
        "arn:e swift-storage-auth 3600.0 seconds - \(endpoint) with env",
      ])
  }

  func testProfileMayBeItsOwnSourceIfItHasAKey() async {
    put(
      credentials: "[self]\n\(keys("own"))[two]\n\(keys("second"))role_arn = arn:two\nsource_profile = self\n",
      config: """
        [profile self]
        role_arn = arn:self
        source_profile = self
        [profile loop]
        role_arn = arn:l
        source_profile = pool
        [profile pool]
        role_arn = arn:p
        source_profile = loop
        [profile alone]
        role_arn = arn:a
        source_profile = alone
        [profile lost]
        role_arn = arn:a
        source_profile = nowhere
        [profile empty]
        region = eu-west-1
        [profile onEmpty]
        role_arn = arn:a
        source_profile = empty
        """)
    await assertKey(provider("self"), RecordedServices.key)
    await assertKey(provider("two"), RecordedServices.key)
    XCTAssertEqual(services.asked.map { String($0.suffix(8)) }, ["with own", "with own"])
    await assertRefuses(provider("loop"), .malformedResponse, says: ["“loop” to “pool” to “loop”"])
    await assertRefuses(provider("alone"), .malformedResponse, says: ["“alone” to “alone”"])
    await assertRefuses(provider("lost"), .malformedResponse, says: ["“nowhere”"])
    await assertRefuses(provider("onEmpty"), .failed, says: ["“empty”", "no key"])
    await assertRefuses(provider("empty"), .notConfigured, says: ["no key"])
  }

  func testLongChainOfProfilesIsFollowed() async {
    let chain = (0..<200).map { "[profile p\($0)]\nrole_arn = a\nsource_profile = p\($0 + 1)\n" }.joined()
    put(config: chain + "[profile p200]\n\(keys("end"))")
    await assertKey(provider("p0"), RecordedServices.key)
    XCTAssertEqual(services.asked.count, 200)
  }

  func testRoleWithoutExactlyOneSourceIsRejected() async {
    for (lines, says) in [
      ("", "none"), ("source_profile = a\ncredential_source = Environment", "“credential_source”"),
      ("credential_source = Environment\nweb_identity_token_file = /t", "“web_identity_token_file”"),
      (keys("k"), "none"), ("credential_source = Vault", "“Vault”"),
      ("credential_source = \(Marks.secret)1", "11 bytes"),
      ("source_profile = a\nduration_seconds = long", "duration_seconds"),
    ] {
      put(config: "[profile p]\nrole_arn = arn\n\(lines)\n[profile a]\n\(keys("a"))")
      await assertRefuses(provider("p"), .malformedResponse, says: [says], lines)
    }
    put(config: "[profile p]\nweb_identity_token_file = /t\n")
    await assertRefuses(provider("p"), .malformedResponse, says: ["role_arn"])
  }

  func testIdentityTokenIsReadFromItsFile() async {
    machine.put("/run/token", "jwt\n")
    put(
      config:
        "[default]\nrole_arn = arn\nweb_identity_token_file = /run/token\nrole_session_name = me\nregion = eu-west-1\n")
    await assertKey(provider(), RecordedServices.key)
    XCTAssertEqual(services.asked, ["arn me 3600.0 seconds - https://sts.eu-west-1.amazonaws.com token jwt"])
  }

  func testInteractiveLoginIsNotConfiguredAndNamesTheCommand() async {
    for lines in [
      "sso_session = corp\nsso_account_id = 1\nsso_role_name = r", "sso_start_url = https://corp.example.com",
      "login_session = arn:aws:iam::1:user/mia",
      "role_arn = arn\nsource_profile = a\nmfa_serial = arn:aws:iam::1:mfa/mia",
    ] {
      put(config: "[default]\n\(lines)\n[profile named]\n\(lines)\n[profile a]\n\(keys("a"))")
      let error = await assertRefuses(provider(), .notConfigured, says: [], lines)
      XCTAssertEqual(error?.remedy.contains("aws configure export-credentials --profile default"), true, lines)
      await assertRefuses(provider("named"), .failed, says: [], lines)
    }
    for lines in ["sso_session = corp", "role_arn = arn\nsource_profile = a\nmfa_serial = arn:aws:iam::1:mfa/mia"] {
      let role = "[default]\nrole_arn = arn\nsource_profile = corp"
      put(config: "\(role)\n[profile corp]\n\(lines)\n[profile a]\n\(keys("a"))")
      await assertRefuses(provider(), .failed, says: [], "a role was configured: \(lines)")
    }
    // Tools that log in write the key to the other file, so that programs without the login can use it.
    put(credentials: "[named]\n\(keys("left"))")
    put(config: "[profile named]\nsso_session = corp\n")
    await assertKey(provider("named"), AccessKey(id: "left", secret: "s"))
  }

  func testCommandRunsWithoutAShell() async {
    put(config: "[default]\ncredential_process = \"/opt/my tools/key\" --account 'a b' $HOME;ls\n")
    machine.answer(
      #"{"Version":1,"AccessKeyId":"ASIA","SecretAccessKey":"s","SessionToken":"t","Expiration":"2026-11-20T09:00:00Z"}"#
    )
    await assertKey(
      provider(),
      AccessKey(id: "ASIA", secret: "s", sessionToken: "t", expiration: Timestamp(unixSeconds: 1_795_165_200)))
    XCTAssertEqual(machine.commandLines, [["/opt/my tools/key", "--account", "a b", "$HOME;ls"]])
    put(config: "[default]\ncredential_process = \"open\n")
    await assertRefuses(provider(), .malformedResponse, says: ["quotation mark"])
    machine.put(
      "/home/mia/.aws/config", bytes: Array("[default]\ncredential_process = key\n".utf8), permissions: 0o666)
    await assertRefuses(provider(), .failed, says: ["others could have written"])
    XCTAssertEqual(machine.commandLines.count, 1)
  }

  func testCommandOutputMustBeVersion1() async {
    put(config: "[default]\ncredential_process = key\n")
    let secret = Marks.secret
    let refusals = [
      Refusal("no version", #"{"AccessKeyId":"a","SecretAccessKey":"\#(secret)"}"#, .malformedResponse, "no “Version”"),
      Refusal(
        "another", #"{"Version":2,"AccessKeyId":"a","SecretAccessKey":"\#(secret)"}"#, .malformedResponse, "Version 2"),
      Refusal("half", #"{"Version":1,"AccessKeyId":"a"}"#, .malformedResponse, "SecretAccessKey"),
      Refusal(
        "Alibaba's", #"{"Version":1,"AccessKeyId":"a","AccessKeySecret":"\#(secret)"}"#, .malformedResponse, "Secret"),
      Refusal(
        "no time", #"{"Version":1,"AccessKeyId":"a","SecretAccessKey":"s","Expiration":"soon"}"#, .malformedResponse,
        "Expiration"),
    ]
    for refusal in refusals {
      machine.answer(refusal.input)
      await assertRefuses(provider(), refusal.code, says: refusal.says, refusal.name)
    }
    machine.answer("", ending: .exited(255), errors: 12)
    await assertRefuses(provider(), .failed, says: ["255"])
    machine.answer(#"{"Version":1,"AccessKeyId":"a","SecretAccessKey":"s"}"#)
    await assertKey(provider(), AccessKey(id: "a", secret: "s"))
  }

  func testNestedSettingsAreIgnored() async throws {
    put(
      config: """
        [default]
        s3 =
          max_concurrent_requests = 20
          region = nested
        s3api =
          max_concurrent_requests = 20
        region = eu-west-1
        services = local
        endpoint_url = http://127.0.0.1:1
        [services local]
          s3 =
            endpoint_url = http://127.0.0.1:9000
          sts =
            endpoint_url = http://127.0.0.1:9001
        [profile broken]
        region = eu-west-1
          s3 = x
        """)
    let settings = try AmazonSettings(machine.access)
    XCTAssertEqual(settings.region, "eu-west-1")
    XCTAssertEqual(settings.endpointURL, "http://127.0.0.1:9000")
    XCTAssertEqual(settings.stsEndpoint, .url("http://127.0.0.1:9001", region: "eu-west-1"))
    await assertRefuses(provider("broken"), .malformedResponse, says: ["indented"])
  }

  func testRegionAndEndpointPreferTheEnvironment() throws {
    put(config: "[default]\nregion = eu-west-1\nendpoint_url = http://127.0.0.1:1\n[profile two]\nregion = eu-west-2\n")
    XCTAssertEqual(try AmazonSettings(machine.access).region, "eu-west-1")
    XCTAssertEqual(try AmazonSettings(machine.access, profile: "two").region, "eu-west-2")
    XCTAssertNil(try AmazonSettings(machine.access, profile: "two").endpointURL)
    XCTAssertThrowsError(try AmazonSettings(machine.access, profile: "three"))
    for (name, value) in [("AWS_DEFAULT_REGION", "eu-north-1"), ("AWS_REGION", "eu-south-1")] {
      machine.set(name, to: value)
      XCTAssertEqual(try AmazonSettings(machine.access).region, value)
    }
    for (name, value) in [("AWS_ENDPOINT_URL", "http://127.0.0.1:2"), ("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:3")] {
      machine.set(name, to: value)
      XCTAssertEqual(try AmazonSettings(machine.access).endpointURL, value)
    }
    XCTAssertEqual(try AmazonSettings(machine.access).stsEndpoint, .url("http://127.0.0.1:2", region: "eu-south-1"))
    func assertURLsAreIgnored(line: UInt = #line) {
      XCTAssertNil(try AmazonSettings(machine.access).endpointURL, line: line)
      XCTAssertEqual(try AmazonSettings(machine.access).stsEndpoint, .region("eu-south-1"), line: line)
    }
    machine.set("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", to: "true")
    assertURLsAreIgnored()
    machine.set("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", to: nil)
    put(config: "[default]\nendpoint_url = http://127.0.0.1:1\nignore_configured_endpoint_urls = true\n")
    assertURLsAreIgnored()
  }

  func testEnvironmentAloneDecidesWhetherConfiguredURLsAreIgnored() throws {
    let variable = "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"
    for (ofProfile, ofEnvironment, isIgnored) in [
      ("true", nil, true), ("true", "false", false), ("true", "FALSE", false), ("true", "", true),
      ("false", "true", true), ("false", "false", false),
    ] as [(String, String?, Bool)] {
      put(config: "[default]\nendpoint_url = http://127.0.0.1:1\nignore_configured_endpoint_urls = \(ofProfile)\n")
      machine.set(variable, to: ofEnvironment)
      let settings = try AmazonSettings(machine.access)
      XCTAssertEqual(settings.endpointURL == nil, isIgnored, "\(ofProfile), \(ofEnvironment ?? "not set")")
      XCTAssertEqual(settings.stsEndpoint == .global, isIgnored, "\(ofProfile), \(ofEnvironment ?? "not set")")
    }
  }

  func testSettingsThatAProfileDoesNotNeedAreNotRead() async {
    put(
      credentials: "[default]\n\(keys("own"))",
      config: "[profile app]\nrole_arn = arn:app\nsource_profile = default\nregion = eu-west-1\n")
    machine.set("AWS_ENDPOINT_URL_S3", to: "minio:9000")
    await assertKey(provider(), AccessKey(id: "own", secret: "s"))
    await assertKey(provider("app"), RecordedServices.key)
    machine.set("AWS_REGION", to: "EU")
    machine.set("AWS_ENDPOINT_URL_STS", to: "minio:9000")
    await assertKey(provider(), AccessKey(id: "own", secret: "s"))
    await assertRefuses(provider("app"), .failed, says: ["AWS_REGION"])
    machine.set("AWS_REGION", to: nil)
    await assertRefuses(provider("app"), .failed, says: ["AWS_ENDPOINT_URL_STS"])
  }

  func testProfileOfTheEnvironmentMustExist() {
    put(config: "[default]\nregion = eu-west-1\n")
    machine.set("AWS_PROFILE", to: "prdo")
    XCTAssertThrowsError(try AmazonSettings(machine.access)) { XCTAssertTrue("\($0)".contains("“prdo”"), "\($0)") }
  }

  func testInvalidRegionOrEndpointIsRejected() {
    func assertRefused(_ says: String, line: UInt = #line) {
      XCTAssertThrowsError(try AmazonSettings(machine.access), line: line) {
        XCTAssertEqual("\($0)".contains(says), true, "\($0)", line: line)
      }
    }
    for region in ["x.evil.test/#", "EU", "-a", "a b", String(repeating: "a", count: 64)] {
      machine.set("AWS_REGION", to: region)
      assertRefused("AWS_REGION")
      machine.set("AWS_REGION", to: nil)
      put(config: "[default]\nregion = \(region)\n")
      assertRefused("region")
      put(config: "")
    }
    machine.set("AWS_ENDPOINT_URL_S3", to: "minio:9000")
    assertRefused("AWS_ENDPOINT_URL_S3")
    machine.set("AWS_ENDPOINT_URL_S3", to: nil)
    put(config: "[default]\nendpoint_url = minio\n")
    assertRefused("endpoint_url")
    put(config: "[default]\nservices = gone\n")
    assertRefused("“gone”")
  }
}
