// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import XCTest

@testable import OSSAuth

/// Tests the configuration files of ossutil and of the OSS SDK for Java.
final class OSSToolProfileTests: XCTestCase {
  private static let path = "/home/mia/.ossutilconfig"

  private let machine = MemoryMachine()
  private let services = RecordedServices()

  private func ossutil(_ profile: String? = nil) -> BoundCredentialProvider<ProfileCredentialProvider<AccessKey>> {
    ProfileCredentialProvider.ossutilProfile(profile, services: services.alibaba).bound(to: machine.access)
  }

  // matrix: Files: answers
  func testBothVersionsOfTheFileAreRead() async {
    machine.put("/run/token", "jwt")
    let cases: [(String, AccessKey, String?)] = [
      (
        "[Credentials]\r\nlanguage=CH\r\nendpoint=oss-cn-hangzhou.aliyuncs.com\r\naccessKeyID=id\r\naccessKeySecret=s\r\n",
        AccessKey(id: "id", secret: "s"), nil
      ),
      (
        "[Credentials]\nlanguage=EN\nstsToken=t\naccessKeyID=id\naccessKeySecret=s\n[Bucket-Endpoint]\nb=e\n",
        AccessKey(id: "id", secret: "s", sessionToken: "t"), nil
      ),
      ("[default]\naccess-key-id=id\naccess_key_secret=s\nregion=x", AccessKey(id: "id", secret: "s"), nil),
      ("[profile default]\naccesskeyid=id\nAccessKeySecret=s\nmode=AK", AccessKey(id: "id", secret: "s"), nil),
      ("[default]\nmode=Anonymous", .anonymous, nil),
      ("[Credentials]\nmode=EcsRamRole\necsRoleName=web", RecordedServices.key, "instance web"),
      ("[Credentials]\nmode=EcsRamRole\nramRoleName=web", RecordedServices.key, "instance web"),
      ("[default]\nmode=EcsRamRole", RecordedServices.key, "instance any"),
      (
        "[default]\naccessKeyID=id\naccessKeySecret=s\nmode=RamRoleArn\nroleArn=arn\nroleSessionName=me",
        RecordedServices.key, "arn me 3600.0 seconds - - https://sts.aliyuncs.com with id"
      ),
      (
        "[Credentials]\naccessKeyID=id\naccessKeySecret=s\nramRoleArn=arn\nstsRegion=cn-beijing", RecordedServices.key,
        "arn swift-storage-auth 3600.0 seconds - - https://sts.cn-beijing.aliyuncs.com with id"
      ),
      (
        "[default]\nmode=oidcRoleArn\nOIDCProviderArn=idp\nOIDCTokenFilePath=/run/token\nroleArn=arn",
        RecordedServices.key,
        "arn swift-storage-auth 3600.0 seconds - - https://sts.aliyuncs.com by idp token jwt"
      ),
      (
        "[default]\nmode=CredentialsUri\ncredentials-uri=http://127.0.0.1/", RecordedServices.key,
        "uri http://127.0.0.1/"
      ),
    ]
    for (text, key, call) in cases {
      machine.put(Self.path, text)
      await assertKey(ossutil(), key, text)
      if let call { XCTAssertEqual(services.asked.last, call) }
    }
  }

  func testProfileAndFileCanBeNamed() async {
    let text = "[default]\naccessKeyID=1\naccessKeySecret=s\n[profile dev]\naccessKeyID=2\naccessKeySecret=s\n"
    machine.put(Self.path, text)
    await assertKey(ossutil(), AccessKey(id: "1", secret: "s"))
    await assertKey(ossutil("dev"), AccessKey(id: "2", secret: "s"))
    machine.set("OSSUTIL_PROFILE", to: "gone")
    await assertRefuses(ossutil(), .failed, says: ["[gone]", "[default], [profile dev]", Self.path])
    machine.set("OSSUTIL_PROFILE", to: "dev")
    machine.set("OSSUTIL_CONFIG_FILE", to: "/etc/oss")
    machine.put("/etc/oss", "[dev]\naccessKeyID=3\naccessKeySecret=s\n")
    await assertKey(ossutil(), AccessKey(id: "3", secret: "s"))
  }

  func testCommandRunsWithoutAShellAndShellSyntaxIsRejected() async {
    machine.answer(#"{"AccessKeyId":"id","AccessKeySecret":"s"}"#)
    machine.put(
      Self.path, "[default]\nmode=Process\ncredentialProcess = get-key 'for oss'\ncredentialProcessTimeout=30")
    await assertKey(ossutil(), AccessKey(id: "id", secret: "s"))
    XCTAssertEqual(machine.commandLines, [["get-key", "for oss"]])
    machine.put(Self.path, "[default]\nmode=Process\ncredentialProcess = cat \(Marks.secret) | head -1")
    await assertRefuses(ossutil(), .malformedResponse, says: ["credentialProcess", "shell"])
    machine.put(Self.path, bytes: Array("[default]\nmode=Process\ncredentialProcess=x".utf8), permissions: 0o602)
    await assertRefuses(ossutil(), .failed, says: ["any user may write the file"])
    XCTAssertEqual(machine.commandLines.count, 1)
  }

  // matrix: Files: bad input
  func testMalformedFilesAreRejected() async {
    let secret = "accessKeySecret=\(Marks.secret)"
    let refusals = [
      Refusal("empty", "", .notConfigured, "no section [default]"),
      Refusal("other sections", "[Bucket-Cname]\na=b", .notConfigured, "[Bucket-Cname]"),
      Refusal("no key", "[Credentials]\nlanguage=CH", .notConfigured, "has no key"),
      Refusal(
        "key of a service of one's own", "[Credentials]\nlanguage=CH\n[AkService]\necsAk=http://x", .notConfigured,
        "has no key"),
      Refusal("no id", "[Credentials]\n\(secret)", .malformedResponse, "no “accesskeyid”"),
      Refusal("no secret", "[default]\naccessKeyID=id", .malformedResponse, "no “accesskeysecret”"),
      Refusal(
        "spelt twice", "[default]\n\(secret)\naccess_key_secret=\(Marks.secret)", .malformedResponse, "line 3 twice"),
      Refusal("unknown mode", "[default]\nmode=Wizard\n\(secret)", .malformedResponse, "“Wizard”"),
      Refusal("role without a key", "[default]\nroleArn=arn", .malformedResponse, "no “accesskeyid”"),
      Refusal(
        "role without an ARN", "[default]\nmode=RamRoleArn\naccessKeyID=id\n\(secret)", .malformedResponse,
        "no “rolearn”"
      ),
      Refusal("no command", "[default]\nmode=Process", .malformedResponse, "no “credentialprocess”"),
      Refusal(
        "bad timeout", "[default]\nmode=Process\ncredentialProcess=a\ncredentialProcessTimeout=1h", .malformedResponse,
        "whole number"),
      Refusal("no URI", "[default]\nmode=CredentialsUri", .malformedResponse, "no “credentialsuri”"),
    ]
    for refusal in refusals {
      machine.put(Self.path, refusal.input)
      await assertRefuses(ossutil(), refusal.code, says: refusal.says + [Self.path], refusal.name)
    }
  }

  func testFileOfTheJavaSDKIsRead() async {
    let path = "/home/mia/.oss/credentials"
    let provider = ProfileCredentialProvider.ossSDKProfile().bound(to: machine.access)
    machine.put(path, "[default]\noss_access_key_id=id\noss_secret_access_key=s\noss_session_token=t\n[b]\n")
    await assertKey(provider, AccessKey(id: "id", secret: "s", sessionToken: "t"))
    await assertRefuses(
      ProfileCredentialProvider.ossSDKProfile("c").bound(to: machine.access), .failed,
      says: ["[c]", "[default], [b]", path])
    machine.put(path, "[b]\n")
    await assertRefuses(provider, .notConfigured, says: ["[default]", path])
    machine.put(path, "[default]\noss_secret_access_key=\(Marks.secret)")
    await assertRefuses(provider, .malformedResponse, says: ["no “oss_access_key_id”", path])
    machine.set("OSS_CREDENTIAL_PROFILES_FILE", to: "~/keys")
    machine.put("/home/mia/keys", "[default]\noss_access_key_id=2\noss_secret_access_key=s")
    await assertKey(provider, AccessKey(id: "2", secret: "s"))
  }
}
