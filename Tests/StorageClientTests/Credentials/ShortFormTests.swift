// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageClient
import XCTest

/// Tests that the short forms of credential providers equal their initializers; no provider is requested, as that would
/// use the network.
final class ShortFormTests: XCTestCase {
  private let keys = StaticCredentialProvider(AccessKey(id: "AKIDexample", secret: "secret"))

  func testAppServerProvidersHaveTheirSourceNames() {
    let server = CredentialCache(.appServer("https://app.example.com/distribute-token.json"))
    XCTAssertEqual(server.source, "app server https://app.example.com/distribute-token.json")
    let shop = CredentialCache(
      AppServerCredentialProvider(source: "shop") { AppServerRequest("https://shop.example.com/sts", method: .post) })
    XCTAssertEqual(shop.source, "shop")
    let uri = CredentialCache(.credentialsURI("https://keys.example.com/"))
    XCTAssertEqual(uri.source, "credentials URI https://keys.example.com/")
    let process = CredentialCache(.process(["/usr/local/bin/vault-key", "--account", "photos"]))
    XCTAssertEqual(process.source, "process")
  }

  func testAlibabaProvidersHaveTheirSourceNames() {
    let role = "acs:ram::1234567890123456:role/uploader"
    let assumed = CredentialCache(.alibabaAssumeRole(role, credentials: keys))
    XCTAssertEqual(assumed.source, "Alibaba STS AssumeRole (\(role))")
    let pod = CredentialCache(
      AlibabaOIDCProvider(roleARN: role, providerARN: "acs:ram::1234567890123456:oidc-provider/pods") {
        Secret("token")
      })
    XCTAssertEqual(pod.source, "Alibaba STS AssumeRoleWithOIDC (\(role))")
    XCTAssertEqual(CredentialCache(.alibabaInstance(role: "uploader")).source, "Alibaba instance metadata")
    XCTAssertEqual(CredentialCache(.alibabaDefault).source, "Alibaba Cloud default sources")
  }

  func testTencentProvidersHaveTheirSourceNames() {
    let role = "qcs::cam::uin/100000000001:roleName/uploader"
    let federated = CredentialCache(.tencentFederation("uploads", policy: "{}", credentials: keys))
    XCTAssertEqual(federated.source, "Tencent STS GetFederationToken (uploads)")
    let assumed = CredentialCache(.tencentAssumeRole(role, credentials: keys))
    XCTAssertEqual(assumed.source, "Tencent STS AssumeRole (\(role))")
    let pod = CredentialCache(TencentWebIdentityProvider(roleARN: role, providerID: "pods") { Secret("token") })
    XCTAssertEqual(pod.source, "Tencent STS AssumeRoleWithWebIdentity (\(role))")
    XCTAssertEqual(CredentialCache(.tencentInstance()).source, "Tencent instance metadata")
    XCTAssertEqual(CredentialCache(.tencentDefault).source, "Tencent Cloud default sources")
  }

  func testClientWithoutCredentialsUsesTheVendorsDefaultSources() {
    XCTAssertEqual(
      StorageClient(.oss(bucket: "photos", region: "cn-hangzhou")).credentials.source, "Alibaba Cloud default sources")
    XCTAssertEqual(
      StorageClient(.cos(bucket: "photos-1250000000", region: "ap-guangzhou")).credentials.source,
      "Tencent Cloud default sources")
  }

  func testDefaultSourceCanBeOmitted() {
    var sources = AlibabaCredentials()
    sources.metadata = nil
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: CredentialCache(sources.chain))
    XCTAssertEqual(client.credentials.source, "Alibaba Cloud default sources")
  }
}
