// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import XCTest

@testable import OSSAuth

/// Tests the profiles of the Alibaba Cloud CLI.
final class AlibabaCLIProfileTests: XCTestCase {
  private static let path = "/home/mia/.aliyun/config.json"

  private let machine = MemoryMachine()
  private let services = RecordedServices()

  private func provider(_ profile: String? = nil) -> BoundCredentialProvider<ProfileCredentialProvider<AccessKey>> {
    ProfileCredentialProvider.alibabaCLIProfile(profile, services: services.alibaba).bound(to: machine.access)
  }

  private func put(_ profiles: String, current: String = "p") {
    machine.put(Self.path, #"{"current":"\#(current)","meta_path":"","profiles":[\#(profiles)]}"#)
  }

  // matrix: Files: answers
  func testKeysOfTheProfileAreRead() async {
    let cases: [(String, AccessKey)] = [
      (
        #""mode":"AK","access_key_id":"id","access_key_secret":"s","sts_token":"","expired_seconds":0"#,
        AccessKey(id: "id", secret: "s")
      ),
      (
        #""mode":"AK","access_key_id":"id","access_key_secret":"s","sts_token":"left over""#,
        AccessKey(id: "id", secret: "s")
      ),
      (#""access_key_id":" id ","access_key_secret":"s\n""#, AccessKey(id: "id", secret: "s")),
      (
        #""mode":"StsToken","access_key_id":"STS.a","access_key_secret":"s","sts_token":"t""#,
        AccessKey(id: "STS.a", secret: "s", sessionToken: "t")
      ),
      (
        #""mode":"StsToken","access_key_id":"STS.a","access_key_secret":"s","sts_token":"t","sts_expiration":1795165200"#,
        AccessKey(id: "STS.a", secret: "s", sessionToken: "t", expiration: Timestamp(unixSeconds: 1_795_165_200))
      ),
      (
        #""mode":"CloudSSO","access_key_id":"STS.a","access_key_secret":"s","sts_token":"t","sts_expiration":1795165200"#,
        AccessKey(id: "STS.a", secret: "s", sessionToken: "t", expiration: Timestamp(unixSeconds: 1_795_165_200))
      ),
    ]
    for (settings, key) in cases {
      put(#"{"name":"other","mode":5},{"name":"p",\#(settings)}"#)
      await assertKey(provider(), key, settings)
    }
    XCTAssertEqual(machine.requests, [])
  }

  func testModesThatRequireAServiceCallIt() async throws {
    machine.put("/run/token", " jwt\n")
    let role =
      #""ram_role_arn":"arn","ram_session_name":"me","expired_seconds":900,"sts_region":"cn-beijing","policy":"{}","external_id":"x""#
    let keys = #""access_key_id":"id","access_key_secret":"s""#
    let cases: [(String, String)] = [
      (#""mode":"EcsRamRole","ram_role_name":"web""#, "instance web"),
      (#""mode":"EcsRamRole","ram_role_name":"""#, "instance any"),
      (
        #""mode":"RamRoleArn",\#(keys),\#(role)"#,
        "arn me 900.0 seconds {} x https://sts.cn-beijing.aliyuncs.com with id"
      ),
      (
        #""mode":"RamRoleArn",\#(keys),"ram_role_arn":"arn","enable_vpc":true,"sts_region":"cn-beijing""#,
        "arn swift-storage-auth 3600.0 seconds - - https://sts-vpc.cn-beijing.aliyuncs.com with id"
      ),
      (
        #""mode":"RamRoleArn",\#(keys),"ram_role_arn":"arn""#,
        "arn swift-storage-auth 3600.0 seconds - - https://sts.aliyuncs.com with id"
      ),
      (
        #""mode":"OIDC",\#(role),"oidc_provider_arn":"idp","oidc_token_file":"/run/token""#,
        "arn me 900.0 seconds {} x https://sts.cn-beijing.aliyuncs.com by idp token jwt"
      ),
      (#""mode":"CredentialsURI","credentials_uri":"http://127.0.0.1:7002/""#, "uri http://127.0.0.1:7002/"),
    ]
    for (settings, call) in cases {
      put(#"{"name":"p",\#(settings)}"#)
      let issued = try await provider().issue(in: .local)
      XCTAssertTrue(issued.credential == RecordedServices.key, settings)
      XCTAssertEqual(issued.source, "Alibaba Cloud CLI: service", settings)
      XCTAssertEqual(services.asked.last, call, settings)
    }
  }

  func testMissingModeIsInferred() async {
    machine.put("/run/token", "jwt")
    machine.answer(#"{"mode":"AK","access_key_id":"printed","access_key_secret":"s"}"#)
    let keys = #""access_key_id":"id","access_key_secret":"s""#
    let role = #""ram_role_arn":"arn""#
    let temporaryKey = AccessKey(id: "id", secret: "s", sessionToken: "t")
    let oidc = #""oidc_provider_arn":"idp","oidc_token_file":"/run/token""#
    let cases: [(String, AccessKey, String?)] = [
      (#"\#(keys),"sts_token":"""#, AccessKey(id: "id", secret: "s"), nil),
      (#"\#(keys),"sts_token":"t""#, temporaryKey, nil),
      (#"\#(keys),"sts_token":"t",\#(role)"#, temporaryKey, nil),
      (
        #"\#(keys),\#(role),"ram_role_name":"web""#, RecordedServices.key,
        "arn swift-storage-auth 3600.0 seconds - - https://sts.aliyuncs.com with id"
      ),
      (#""mode":"","ram_role_name":"web","process_command":"get-key""#, RecordedServices.key, "instance web"),
      (#""process_command":"get-key",\#(role),\#(oidc)"#, AccessKey(id: "printed", secret: "s"), nil),
      (
        "\(role),\(oidc)", RecordedServices.key,
        "arn swift-storage-auth 3600.0 seconds - - https://sts.aliyuncs.com by idp token jwt"
      ),
    ]
    for (settings, key, call) in cases {
      let count = services.asked.count
      put(#"{"name":"p",\#(settings)}"#)
      await assertKey(provider(), key, settings)
      XCTAssertEqual(services.asked.dropFirst(count), call.map { [$0] } ?? [], settings)
    }
  }

  func testCommandsAndURIsCanBeForbidden() async {
    machine.answer(#"{"mode":"AK","access_key_id":"id","access_key_secret":"s"}"#)
    let settings = [
      #""mode":"External","process_command":"get-key""#, #""process_command":"get-key""#,
      #""mode":"CredentialsURI","credentials_uri":"http://127.0.0.1:7002/""#,
    ]
    for value in ["1", "True"] {
      machine.set("ALIBABA_CLOUD_DISABLE_EXTERNAL_PROCESS", to: value)
      for settings in settings {
        put(#"{"name":"p",\#(settings)}"#)
        await assertRefuses(
          provider(), .failed, says: ["“p”", Self.path, "ALIBABA_CLOUD_DISABLE_EXTERNAL_PROCESS"], settings)
      }
      put(
        #"""
        {"name":"p","mode":"ChainableRamRoleArn","source_profile":"base","ram_role_arn":"r"},
        {"name":"base",\#(settings[0])}
        """#)
      await assertRefuses(provider(), .failed, says: ["“base”", "ALIBABA_CLOUD_DISABLE_EXTERNAL_PROCESS"])
      put(#"{"name":"p","access_key_id":"id","access_key_secret":"s"}"#)
      await assertKey(provider(), AccessKey(id: "id", secret: "s"))
    }
    XCTAssertEqual(machine.commandLines, [])
    XCTAssertEqual(services.asked, [])
    machine.set("ALIBABA_CLOUD_DISABLE_EXTERNAL_PROCESS", to: "0")
    put(#"{"name":"p",\#(settings[0])}"#)
    await assertKey(provider(), AccessKey(id: "id", secret: "s"))
  }

  func testChainOfProfilesRequestsEachRoleInOrder() async {
    put(
      #"""
      {"name":"p","mode":"ChainableRamRoleArn","source_profile":"middle","ram_role_arn":"outer"},
      {"name":"middle","mode":"ChainableRamRoleArn","source_profile":"base","ram_role_arn":"inner"},
      {"name":"base","mode":"RamRoleArnWithRoleName","ram_role_name":"web","ram_role_arn":"first"}
      """#)
    await assertKey(provider(), RecordedServices.key)
    XCTAssertEqual(services.asked.map { $0.prefix { $0 != " " } }, ["instance", "first", "inner", "outer"])
  }

  func testCommandOfTheExternalModeRunsWithoutAShell() async throws {
    machine.answer(#"{"mode":"AK","access_key_id":"id","access_key_secret":"s"}"#)
    put(#"{"name":"p","mode":"External","process_command":"get-key --for 'the oss' $HOME"}"#)
    await assertKey(provider(), AccessKey(id: "id", secret: "s"))
    XCTAssertEqual(machine.commandLines, [["get-key", "--for", "the oss", "$HOME"]])
    let source = try await provider().issue(in: .local).source
    XCTAssertEqual(source, "Alibaba Cloud CLI: process")
  }

  func testCommandInAFileWritableByOthersIsNotRun() async {
    let text = #"{"current":"p","profiles":[{"name":"p","mode":"External","process_command":"get-key"}]}"#
    machine.put(Self.path, bytes: Array(text.utf8), permissions: 0o646)
    await assertRefuses(provider(), .failed, says: ["“p”", Self.path, "any user may write the file"])
    XCTAssertEqual(machine.commandLines, [])
  }

  func testNamedProfileIsUsed() async {
    put(
      #"{"name":"p","access_key_id":"1","access_key_secret":"s"},{"name":"q","access_key_id":"2","access_key_secret":"s"}"#
    )
    await assertKey(provider(), AccessKey(id: "1", secret: "s"))
    machine.set("ALIBABA_CLOUD_PROFILE", to: "q")
    await assertKey(provider(), AccessKey(id: "2", secret: "s"))
    await assertKey(provider("p"), AccessKey(id: "1", secret: "s"))
    machine.set("ALIBABA_CLOUD_PROFILE", to: "nobody")
    await assertRefuses(provider(), .notConfigured, says: ["“nobody”", "“p”, “q”", Self.path])
    await assertRefuses(provider("nobody"), .failed, says: ["“nobody”"])
  }

  func testEnvironmentVariablesOfTheCLIAreUsed() async {
    machine.put("/etc/aliyun.json", #"{"profiles":[{"name":"default","access_key_id":"id","access_key_secret":"s"}]}"#)
    machine.set("ALIBABA_CLOUD_CONFIG_FILE", to: "/etc/aliyun.json")
    await assertKey(provider(), AccessKey(id: "id", secret: "s"))
    machine.set("ALIBABA_CLOUD_CONFIG_FILE", to: "~/gone.json")
    await assertRefuses(provider(), .failed, says: ["~/gone.json", "ALIBABA_CLOUD_CONFIG_FILE", "not there"])
    machine.set("ALIBABA_CLOUD_CLI_PROFILE_DISABLED", to: "true")
    await assertRefuses(provider(), .notConfigured, says: ["ALIBABA_CLOUD_CLI_PROFILE_DISABLED"])
  }

  // matrix: Files: refusal
  func testProfileWhoseSourceIsNotConfiguredFails() async {
    put(#"{"name":"p","mode":"EcsRamRole"}"#)
    let provider = ProfileCredentialProvider.alibabaCLIProfile(services: RecordedServices.none).bound(
      to: machine.access)
    let error = await assertRefuses(provider, .failed, says: ["“p”", Self.path, "The service has no key."])
    XCTAssertEqual(error?.source, "Alibaba Cloud CLI: service")
  }

  func testMissingTokenFileIsNamed() async {
    put(#"{"name":"p","mode":"OIDC","ram_role_arn":"r","oidc_provider_arn":"i","oidc_token_file":"/run/token"}"#)
    await assertRefuses(provider(), .failed, says: ["/run/token", "not there"])
    machine.put("/run/token", " \n")
    await assertRefuses(provider(), .malformedResponse, says: ["/run/token", "holds no text"])
  }
}
