// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import XCTest

@testable import CredentialSources
@testable import S3Auth

/// Tests the default chain of AWS: its order, its replaceable sources, and its errors.
final class AmazonSourceTests: XCTestCase {
  private let machine = MemoryMachine()
  private let services = RecordedServices()

  private var sources: AmazonCredentials { AmazonCredentials(services: services.amazon) }

  private func set(_ variables: [String: String]) {
    for (name, value) in variables { machine.set(name, to: value) }
  }

  func testEnvironmentContainsKeyTokenAndExpiration() async {
    let provider = EnvironmentCredentialProvider.aws.bound(to: machine.access)
    await assertRefuses(provider, .notConfigured, says: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
    set(["AWS_ACCESS_KEY_ID": "id"])
    await assertRefuses(provider, .failed, says: ["not AWS_SECRET_ACCESS_KEY"])
    set(["AWS_SECRET_ACCESS_KEY": "s", "AWS_SECURITY_TOKEN": "old"])
    await assertKey(provider, AccessKey(id: "id", secret: "s", sessionToken: "old"))
    set(["AWS_SESSION_TOKEN": "t", "AWS_CREDENTIAL_EXPIRATION": "2026-11-20T09:00:00Z"])
    await assertKey(
      provider, AccessKey(id: "id", secret: "s", sessionToken: "t", expiration: Timestamp(unixSeconds: 1_795_165_200)))
    set(["AWS_CREDENTIAL_EXPIRATION": "soon"])
    await assertRefuses(provider, .failed, says: ["AWS_CREDENTIAL_EXPIRATION"])
  }

  func testSourcesAreRequestedInOrder() async throws {
    var sources = sources
    sources.container = nil
    let last = try await sources.chain.bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(last.source, "service")
    XCTAssertEqual(services.asked, ["instance"])
    let container = try await self.sources.chain.bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(container.source, "service")
    XCTAssertEqual(services.asked.last, "container")
    machine.put("/run/token", "jwt")
    let steps: [(String, String, () -> Void)] = [
      (
        "Amazon web identity: service", "STS.role",
        { self.set(["AWS_WEB_IDENTITY_TOKEN_FILE": "/run/token", "AWS_ROLE_ARN": "arn"]) }
      ),
      (
        "Amazon profile", "2",
        {
          self.machine.put(
            "/home/mia/.aws/credentials", "[default]\naws_access_key_id=2\naws_secret_access_key=s")
        }
      ),
      (
        "environment (AWS_ACCESS_KEY_ID)", "1",
        { self.set(["AWS_ACCESS_KEY_ID": "1", "AWS_SECRET_ACCESS_KEY": "s"]) }
      ),
    ]
    for (source, id, setUp) in steps {
      setUp()
      let issued = try await self.sources.chain.bound(to: machine.access).issue(in: .local)
      XCTAssertEqual(issued.source, source)
      XCTAssertEqual(issued.credential.id.string, id)
    }
    let named = try await AmazonCredentials(profile: "default", services: services.amazon).chain.bound(
      to: machine.access
    ).issue(in: .local)
    XCTAssertEqual(named.credential.id.string, "2", "a profile that the program names precedes the environment")
  }

  func testInvalidSourceEndsTheSearch() async {
    machine.set("AWS_PROFILE", to: "gone")
    await assertRefuses(sources.chain.bound(to: machine.access), .failed, says: ["“gone”"])
    machine.set("AWS_PROFILE", to: nil)
    machine.set("AWS_WEB_IDENTITY_TOKEN_FILE", to: "/run/token")
    await assertRefuses(sources.chain.bound(to: machine.access), .failed, says: ["not AWS_ROLE_ARN"])
    machine.set("AWS_ROLE_ARN", to: "arn")
    await assertRefuses(sources.chain.bound(to: machine.access), .failed, says: ["/run/token", "not there"])
    machine.set("AWS_ACCESS_KEY_ID", to: "half")
    await assertRefuses(sources.chain.bound(to: machine.access), .failed, says: ["AWS_SECRET_ACCESS_KEY"])
    XCTAssertEqual(services.asked, [])
  }

  func testRoleOfAnIdentityTokenIsAssumedInTheRegion() async {
    machine.put("/run/token", "jwt\n")
    set([
      "AWS_WEB_IDENTITY_TOKEN_FILE": "/run/token", "AWS_ROLE_ARN": "arn", "AWS_ROLE_SESSION_NAME": "me",
      "AWS_REGION": "eu-central-1",
    ])
    await assertKey(sources.chain.bound(to: machine.access), RecordedServices.key)
    XCTAssertEqual(services.asked, ["arn me 3600.0 seconds - https://sts.eu-central-1.amazonaws.com token jwt"])
    machine.set("AWS_REGION", to: "x.evil.test/#")
    await assertRefuses(sources.chain.bound(to: machine.access), .failed, says: ["AWS_REGION"])
  }

  func testWithoutAnySourceEachReasonIsReported() async {
    var sources = AmazonCredentials()
    sources.metadata = nil
    let error = await assertRefuses(sources.chain.bound(to: machine.access), .notConfigured)
    XCTAssertEqual(error?.declined.count, 4)
    XCTAssertEqual(machine.requests, [])
    await assertRefuses(CredentialChain<AccessKey>.amazonDefault.bound(to: machine.access), .notConfigured)
    XCTAssertEqual(machine.requests, ["PUT http://169.254.169.254/latest/api/token"])
  }

  func testProfilesCallTheRealServices() async throws {
    let answer =
      #"{"AccessKeyId":"STS.1","SecretAccessKey":"s","Token":"t","Expiration":"2026-11-20T09:00:00Z"}"#
    let key = AccessKey(
      id: "STS.1", secret: "s", sessionToken: "t", expiration: Timestamp(unixSeconds: 1_795_165_200))
    machine.put(
      "/home/mia/.aws/config",
      """
      [profile app]
      role_arn = arn:aws:iam::1:role/r
      credential_source = EcsContainer
      """)
    machine.set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", to: "/c")
    machine.reply(to: "http://169.254.170.2/c", answer)
    machine.reply(
      to: "https://sts.amazonaws.com/",
      """
      <AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>STS.1</AccessKeyId>
      <SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2026-11-20T09:00:00Z</Expiration>
      </Credentials></AssumeRoleResult></AssumeRoleResponse>
      """)
    let issued = try await ProfileCredentialProvider.amazonProfile("app").bound(to: machine.access).issue(in: .local)
    XCTAssertEqual(issued.credential, key)
    XCTAssertEqual(issued.source, "Amazon profile: Amazon STS AssumeRole (arn:aws:iam::1:role/r)")
    XCTAssertEqual(machine.requests, ["GET http://169.254.170.2/c", "POST https://sts.amazonaws.com/"])
  }
}
