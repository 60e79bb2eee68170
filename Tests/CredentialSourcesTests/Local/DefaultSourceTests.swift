// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

@testable import COSAuth
@testable import OSSAuth

/// Tests the default chains of Alibaba Cloud and Tencent Cloud: their order, their replaceable sources, and their
/// errors.
final class DefaultSourceTests: XCTestCase {
  private let machine = MemoryMachine()
  private let services = RecordedServices()

  private var alibaba: AlibabaCredentials { AlibabaCredentials(services: services.alibaba) }
  private var tencent: TencentCredentials { TencentCredentials(services: services.tencent) }

  /// The action that configures each source, in the order of the chain.
  private var alibabaSources: [(name: String, id: String, setUp: () -> Void)] {
    [
      ("environment (OSS_ACCESS_KEY_ID)", "1", { self.set(["OSS_ACCESS_KEY_ID": "1", "OSS_ACCESS_KEY_SECRET": "s"]) }),
      (
        "environment (ALIBABA_CLOUD_ACCESS_KEY_ID)", "2",
        { self.set(["ALIBABA_CLOUD_ACCESS_KEY_ID": "2", "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "s"]) }
      ),
      (
        "Alibaba Cloud pod role: service", "STS.role",
        {
          self.machine.put("/run/token", "jwt")
          self.set([
            "ALIBABA_CLOUD_ROLE_ARN": "arn", "ALIBABA_CLOUD_OIDC_PROVIDER_ARN": "idp",
            "ALIBABA_CLOUD_OIDC_TOKEN_FILE": "/run/token",
          ])
        }
      ),
      (
        "Alibaba Cloud CLI", "3",
        {
          self.machine.put(
            "/home/mia/.aliyun/config.json",
            #"{"current":"p","profiles":[{"name":"p","access_key_id":"3","access_key_secret":"s"}]}"#)
        }
      ),
      (
        "Alibaba Cloud shared profile", "4",
        {
          self.machine.put(
            "/home/mia/.alibabacloud/credentials",
            "[default]\ntype=access_key\naccess_key_id=4\naccess_key_secret=s")
        }
      ),
      ("ossutil", "5", { self.machine.put("/home/mia/.ossutilconfig", "[default]\naccessKeyID=5\naccessKeySecret=s") }),
      (
        "OSS SDK profile", "6",
        { self.machine.put("/home/mia/.oss/credentials", "[default]\noss_access_key_id=6\noss_secret_access_key=s") }
      ),
    ]
  }

  private var tencentSources: [(name: String, id: String, setUp: () -> Void)] {
    [
      (
        "environment (TENCENTCLOUD_SECRET_ID)", "1",
        { self.set(["TENCENTCLOUD_SECRET_ID": "1", "TENCENTCLOUD_SECRET_KEY": "s"]) }
      ),
      (
        "Tencent Cloud profile", "2",
        { self.machine.put("/etc/tencentcloud/credentials", "[default]\nsecret_id=2\nsecret_key=s") }
      ),
      (
        "Tencent Cloud CLI", "3",
        { self.machine.put("/home/mia/.tccli/default.credential", #"{"secretId":"3","secretKey":"s"}"#) }
      ),
      ("coscmd", "4", { self.machine.put("/home/mia/.cos.conf", "[common]\nsecret_id=4\nsecret_key=s") }),
      (
        "coscli", "5",
        {
          self.machine.put(
            "/home/mia/.cos.yaml", "cos:\n  base:\n    secretid: 5\n    secretkey: s\n    disableencryption: true")
        }
      ),
    ]
  }

  private func set(_ variables: [String: String]) {
    for (name, value) in variables { machine.set(name, to: value) }
  }

  func testAlibabaSourcesAreRequestedInOrder() async throws {
    let last = try await alibaba.chain.bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(last.source, "Alibaba instance metadata")
    XCTAssertEqual(services.asked, ["instance any"])
    for source in alibabaSources.reversed() {
      source.setUp()
      let issued = try await alibaba.chain.bound(to: machine.access).issue(in: .local)
      XCTAssertEqual(issued.credential.id.string, source.id, source.name)
      XCTAssertEqual(issued.source, source.name)
    }
  }

  func testTencentSourcesAreRequestedInOrder() async throws {
    let last = try await tencent.chain.bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(last.source, "service")
    XCTAssertEqual(services.asked, ["instance any"])
    for source in tencentSources.reversed() {
      source.setUp()
      let issued = try await tencent.chain.bound(to: machine.access).issue(in: .local)
      XCTAssertEqual(issued.credential.id.string, source.id, source.name)
      XCTAssertEqual(issued.source, source.name)
    }
  }

  func testSourcesCanBeReplacedAndRemoved() async throws {
    var sources = alibaba
    sources.metadata = nil
    sources.credentialsURI = StaticCredentialProvider(AccessKey(id: "mine", secret: "s"), source: "mine")
    let issued = try await sources.chain.bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(issued.credential.id, "mine")
    sources.ossEnvironment = StaticCredentialProvider(AccessKey(id: "first", secret: "s"), source: "first")
    let first = try await sources.chain.bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(first.source, "first")
    XCTAssertEqual(services.asked, [])
    let links = alibaba.chain.links.count
    for slot in [\AlibabaCredentials.ossEnvironment, \.environment, \.podRole, \.ossutil, \.ossProfile, \.metadata] {
      var fewer = alibaba
      fewer[keyPath: slot] = nil
      XCTAssertEqual(fewer.chain.links.count, links - 1)
    }
  }

  func testWithoutAnySourceEachReasonIsReported() async {
    var sources = alibaba
    sources.metadata = nil
    let error = await assertRefuses(sources.chain.bound(to: machine.access), .notConfigured)
    XCTAssertEqual(error?.declined.count, 9)
    XCTAssertTrue(error?.declined.allSatisfy { $0.code == .notConfigured && $0.remedy.hasSuffix(".") } == true)
    var others = tencent
    others.metadata = nil
    let other = await assertRefuses(others.chain.bound(to: machine.access), .notConfigured)
    XCTAssertEqual(other?.declined.count, 6)
  }

  func testInvalidSourceEndsTheSearch() async {
    machine.put("/home/mia/.ossutilconfig", "[default]\naccessKeyID=5\naccessKeySecret=s")
    machine.put("/home/mia/.aliyun/config.json", "{")
    let error = await assertRefuses(
      alibaba.chain.bound(to: machine.access), .malformedResponse, says: ["/home/mia/.aliyun/config.json"])
    XCTAssertEqual(error?.declined.count, 3)
    machine.set("OSS_ACCESS_KEY_ID", to: "half")
    await assertRefuses(alibaba.chain.bound(to: machine.access), .failed, says: ["OSS_ACCESS_KEY_SECRET"])
    XCTAssertEqual(services.asked, [])
  }

  func testMissingNamedProfileEndsTheSearch() async throws {
    machine.set("ALIBABA_CLOUD_PROFILE", to: "prod")
    await assertRefuses(
      alibaba.chain.bound(to: machine.access), .failed,
      says: ["ALIBABA_CLOUD_PROFILE", "“prod”", "~/.aliyun/config.json"])
    machine.put("/home/mia/.aliyun/config.json", #"{"profiles":[{"name":"dev"}]}"#)
    await assertRefuses(alibaba.chain.bound(to: machine.access), .failed, says: ["“prod”"])
    XCTAssertEqual(services.asked, [])
    var sources = alibaba
    (sources.cliProfile, sources.sharedProfile) = (nil, nil)
    let issued = try await sources.chain.bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(issued.source, "Alibaba instance metadata")
    machine.put(
      "/home/mia/.alibabacloud/credentials", "[prod]\ntype=access_key\naccess_key_id=4\naccess_key_secret=s")
    await assertKey(alibaba.chain.bound(to: machine.access), AccessKey(id: "4", secret: "s"))
  }

  func testVariablesNameAndDisableTheMetadataService() async {
    machine.set("ALIBABA_CLOUD_ECS_METADATA", to: "web")
    await assertKey(alibaba.chain.bound(to: machine.access), RecordedServices.key)
    XCTAssertEqual(services.asked, ["instance web"])
    machine.set("ALIBABA_CLOUD_ECS_METADATA_DISABLED", to: "TRUE")
    let error = await assertRefuses(alibaba.chain.bound(to: machine.access), .notConfigured)
    XCTAssertTrue(error?.description.contains("ALIBABA_CLOUD_ECS_METADATA_DISABLED") == true)
    machine.set("ALIBABA_CLOUD_CREDENTIALS_URI", to: "http://127.0.0.1:7002/key")
    await assertKey(alibaba.chain.bound(to: machine.access), RecordedServices.key)
    XCTAssertEqual(services.asked, ["instance web", "uri http://127.0.0.1:7002/key"])
  }

  func testAlibabaPodRoleRequiresAllOfItsVariables() async throws {
    machine.set("ALIBABA_CLOUD_ROLE_ARN", to: "arn")
    let last = try await alibaba.chain.bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(last.source, "Alibaba instance metadata")
    machine.set("ALIBABA_CLOUD_OIDC_TOKEN_FILE", to: "/run/token")
    await assertRefuses(alibaba.chain.bound(to: machine.access), .failed, says: ["not ALIBABA_CLOUD_OIDC_PROVIDER_ARN"])
    machine.set("ALIBABA_CLOUD_OIDC_PROVIDER_ARN", to: "idp")
    await assertRefuses(alibaba.chain.bound(to: machine.access), .failed, says: ["/run/token", "not there"])
    machine.put("/run/token", "jwt")
    set([
      "ALIBABA_CLOUD_ROLE_SESSION_NAME": "me", "ALIBABA_CLOUD_STS_REGION": "cn-beijing",
      "ALIBABA_CLOUD_VPC_ENDPOINT_ENABLED": "true",
    ])
    await assertKey(alibaba.chain.bound(to: machine.access), RecordedServices.key)
    XCTAssertEqual(
      services.asked.last, "arn me 3600.0 seconds - - https://sts-vpc.cn-beijing.aliyuncs.com by idp token jwt")
    machine.set("ALIBABA_CLOUD_STS_REGION", to: "evil.example/")
    await assertRefuses(alibaba.chain.bound(to: machine.access), .failed, says: ["ALIBABA_CLOUD_STS_REGION"])
  }

  func testTencentPodRoleRequiresAllOfItsVariables() async throws {
    var sources = tencent
    sources.metadata = nil
    machine.set("TKE_REGION", to: "ap-guangzhou")
    await assertRefuses(sources.chain.bound(to: machine.access), .notConfigured)
    set(["TKE_ROLE_ARN": "arn", "TKE_PROVIDER_ID": "idp"])
    await assertRefuses(sources.chain.bound(to: machine.access), .failed, says: ["not TKE_WEB_IDENTITY_TOKEN_FILE"])
    machine.set("TKE_WEB_IDENTITY_TOKEN_FILE", to: "/run/token")
    machine.put("/run/token", "jwt\n")
    let issued = try await sources.chain.bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(issued.source, "Tencent Cloud pod role: service")
    XCTAssertEqual(services.asked, ["arn by idp in ap-guangzhou token jwt"])
  }
}
