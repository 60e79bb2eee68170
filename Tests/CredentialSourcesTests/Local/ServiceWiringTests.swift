// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

@testable import COSAuth
@testable import CredentialSources
@testable import OSSAuth

/// Tests that profiles that require a service send the right request to the right service.
final class ServiceWiringTests: XCTestCase {
  private static let answer = """
    {"AccessKeyId":"STS.1","AccessKeySecret":"s","SecurityToken":"t","Expiration":"2026-11-20T09:00:00Z"}
    """

  private let machine = MemoryMachine()
  private let key = AccessKey(
    id: "STS.1", secret: "s", sessionToken: "t", expiration: Timestamp(unixSeconds: 1_795_165_200))

  private func put(_ profile: String) {
    machine.put("/home/mia/.aliyun/config.json", #"{"current":"p","profiles":[{"name":"p",\#(profile)}]}"#)
  }

  func testRoleOfAProfileIsAssumed() async throws {
    put(
      #""mode":"RamRoleArn","access_key_id":"id","access_key_secret":"s","ram_role_arn":"acs:ram::1:role/r","ram_session_name":"mia","sts_region":"cn-beijing""#
    )
    machine.reply(to: "https://sts.cn-beijing.aliyuncs.com/", #"{"Credentials":\#(Self.answer)}"#)
    let issued = try await ProfileCredentialProvider.alibabaCLIProfile().bound(to: machine.access).issue(in: .local)
    XCTAssertTrue(issued.credential == key)
    XCTAssertEqual(issued.source, "Alibaba Cloud CLI: Alibaba STS AssumeRole (acs:ram::1:role/r)")
    let request = try XCTUnwrap(machine.requests.first)
    XCTAssertTrue(
      request.hasPrefix("POST https://sts.cn-beijing.aliyuncs.com/?RoleArn=acs%3Aram%3A%3A1%3Arole%2Fr"), request)
    XCTAssertTrue(request.contains("RoleSessionName=mia"), request)
  }

  func testRoleIsAssumedWithAnIdentityToken() async {
    machine.put("/run/token", "jwt")
    put(
      #""mode":"OIDC","ram_role_arn":"acs:ram::1:role/r","oidc_provider_arn":"acs:ram::1:oidc-provider/i","oidc_token_file":"/run/token""#
    )
    machine.reply(to: "https://sts.aliyuncs.com/?Action=AssumeRoleWithOIDC", #"{"Credentials":\#(Self.answer)}"#)
    await assertKey(ProfileCredentialProvider.alibabaCLIProfile().bound(to: machine.access), key)
  }

  func testInstanceMetadataIsRequestedForTheRoleOfAProfile() async {
    put(#""mode":"EcsRamRole","ram_role_name":"web""#)
    machine.reply(to: "http://100.100.100.200/latest/api/token", "token")
    machine.reply(
      to: "http://100.100.100.200/latest/meta-data/ram/security-credentials/web",
      Self.answer.replacing("{", with: #"{"Code":"Success","#))
    await assertKey(ProfileCredentialProvider.alibabaCLIProfile().bound(to: machine.access), key)
  }

  func testAbsentMetadataServiceOfAProfileIsRetryable() async {
    put(#""mode":"EcsRamRole","ram_role_name":"web""#)
    let provider = ProfileCredentialProvider.alibabaCLIProfile().bound(to: machine.access)
    let error = await assertRefuses(provider, .failed, says: ["“p”", "There is no metadata service"])
    XCTAssertEqual(error?.isRetryable, true)
    let skipped = await assertRefuses(
      AlibabaInstanceMetadataProvider(role: "web").bound(to: machine.access), .notConfigured)
    XCTAssertEqual(skipped?.isRetryable, true)
    let next = StaticCredentialProvider(key)
    await assertKey(CredentialChain([AlibabaInstanceMetadataProvider(), next]).bound(to: machine.access), key)
  }

  func testCredentialsURIOfAProfileIsRequested() async {
    put(#""mode":"CredentialsURI","credentials_uri":"http://127.0.0.1:7002/key""#)
    machine.reply(to: "http://127.0.0.1:7002/key", Self.answer)
    await assertKey(ProfileCredentialProvider.alibabaCLIProfile().bound(to: machine.access), key)
  }

  func testTencentInstanceMetadataIsRequested() async {
    machine.put("/home/mia/.cos.yaml", "cos:\n  base:\n    mode: CvmRole\n    cvmrolename: web\n")
    machine.reply(
      to: "http://metadata.tencentyun.com/latest/meta-data/cam/security-credentials/web",
      #"{"TmpSecretId":"STS.1","TmpSecretKey":"s","Token":"t","ExpiredTime":1795165200,"Code":"Success"}"#)
    await assertKey(ProfileCredentialProvider.coscliProfile().bound(to: machine.access), key)
  }

  func testRoleOfATCCLIProfileIsAssumed() async throws {
    machine.put(
      "/home/mia/.tccli/default.credential",
      #"{"secretId":"id","secretKey":"s","role-arn":"qcs::cam::uin/1:roleName/r","role-session-name":"mia"}"#)
    machine.reply(
      to: "https://sts.tencentcloudapi.com/",
      #"{"Response":{"Credentials":{"TmpSecretId":"STS.1","TmpSecretKey":"s","Token":"t"},"ExpiredTime":1795165200}}"#)
    let issued = try await TencentCredentials().chain.bound(to: machine.access).issue(in: .local)
    XCTAssertTrue(issued.credential == key)
    XCTAssertEqual(issued.source, "Tencent Cloud CLI: Tencent STS AssumeRole (qcs::cam::uin/1:roleName/r)")
  }

  func testTencentPodAssumesItsRole() async {
    machine.put("/run/token", "jwt")
    for (name, value) in [
      ("TKE_ROLE_ARN", "qcs::cam::uin/1:roleName/r"), ("TKE_PROVIDER_ID", "idp"),
      ("TKE_WEB_IDENTITY_TOKEN_FILE", "/run/token"), ("TKE_REGION", "ap-guangzhou"),
    ] { machine.set(name, to: value) }
    machine.reply(
      to: "https://sts.tencentcloudapi.com/",
      #"{"Response":{"Credentials":{"TmpSecretId":"STS.1","TmpSecretKey":"s","Token":"t"},"ExpiredTime":1795165200}}"#)
    await assertKey(TencentCredentials().chain.bound(to: machine.access), key)
  }

  func testWithoutAnySourceTheDefaultChainsRequestTheMetadataServices() async {
    for chain: CredentialChain<AccessKey> in [
      .alibabaDefault, .tencentDefault,
    ] {
      await assertRefuses(chain.bound(to: machine.access), .notConfigured)
    }
    XCTAssertEqual(
      machine.requests,
      [
        "PUT http://100.100.100.200/latest/api/token",
        "GET http://metadata.tencentyun.com/latest/meta-data/cam/security-credentials/",
      ])
  }
}
