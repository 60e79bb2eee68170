// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import XCTest

@testable import OSSAuth

/// Tests the profiles of `~/.alibabacloud/credentials`.
final class AlibabaSharedProfileTests: XCTestCase {
  private static let path = "/home/mia/.alibabacloud/credentials"

  private let machine = MemoryMachine()
  private let services = RecordedServices()

  private func provider(_ profile: String? = nil) -> BoundCredentialProvider<ProfileCredentialProvider<AccessKey>> {
    ProfileCredentialProvider.alibabaSharedProfile(profile, services: services.alibaba).bound(to: machine.access)
  }

  func testEveryCredentialTypeIsSupported() async {
    machine.put("/run/token", "jwt")
    let keys = "access_key_id=id\naccess_key_secret=s"
    let cases: [(String, AccessKey, String?)] = [
      ("type = access_key\n\(keys)", AccessKey(id: "id", secret: "s"), nil),
      ("type=sts\n\(keys)\nsecurity_token=t", AccessKey(id: "id", secret: "s", sessionToken: "t"), nil),
      ("type=ecs_ram_role\nrole_name=web", RecordedServices.key, "instance web"),
      ("type=ecs_ram_role", RecordedServices.key, "instance any"),
      (
        "type=ram_role_arn\n\(keys)\nrole_arn=arn\nrole_session_name=me\npolicy={\"a\":1}", RecordedServices.key,
        "arn me 3600.0 seconds {\"a\":1} - https://sts.aliyuncs.com with id"
      ),
      (
        "type=oidc_role_arn\nrole_arn=arn\noidc_provider_arn=idp\noidc_token_file_path=/run/token",
        RecordedServices.key,
        "arn swift-storage-auth 3600.0 seconds - - https://sts.aliyuncs.com by idp token jwt"
      ),
    ]
    for (settings, key, call) in cases {
      machine.put(Self.path, "[client1]\ntype=x\n[default]\n\(settings)\n")
      await assertKey(provider(), key, settings)
      if let call { XCTAssertEqual(services.asked.last, call) }
    }
  }

  func testProfileAndFileCanBeNamed() async {
    let text = "[a]\ntype=access_key\naccess_key_id=1\naccess_key_secret=s\n"
    machine.put(Self.path, text)
    await assertRefuses(provider(), .notConfigured, says: ["[default]", "[a]", Self.path])
    await assertRefuses(provider("b"), .failed, says: ["[b]", Self.path])
    machine.set("ALIBABA_CLOUD_PROFILE", to: "a")
    await assertKey(provider(), AccessKey(id: "1", secret: "s"))
    machine.set("ALIBABA_CLOUD_CREDENTIALS_FILE", to: "/etc/keys")
    await assertRefuses(provider(), .failed, says: ["/etc/keys", "ALIBABA_CLOUD_CREDENTIALS_FILE"])
    machine.put("/etc/keys", text.replacing("=1", with: "=2"))
    await assertKey(provider(), AccessKey(id: "2", secret: "s"))
  }

  func testDisabledProfileIsSkippedUnlessItIsNamed() async {
    let keys = "type=access_key\naccess_key_id=id\naccess_key_secret=s"
    machine.put(Self.path, "[default]\nenable = False\n\(keys)\n[a]\nenable = true\n\(keys)\n[b]\nenable = 1\n\(keys)")
    await assertRefuses(provider(), .notConfigured, says: ["[default]", "“enable”", Self.path])
    await assertRefuses(provider("default"), .failed, says: ["[default]", "“enable”", Self.path])
    await assertKey(provider("a"), AccessKey(id: "id", secret: "s"))
    await assertRefuses(provider("b"), .malformedResponse, says: ["[b]", "“enable”"])
  }

  func testFileOfTheOtherLibrariesIsReadSecond() async {
    let text = "[default]\ntype=access_key\naccess_key_id=1\naccess_key_secret=s\n"
    machine.put(Self.path + ".ini", text)
    await assertKey(provider(), AccessKey(id: "1", secret: "s"))
    machine.put(Self.path, text.replacing("=1", with: "=2"))
    await assertKey(provider(), AccessKey(id: "2", secret: "s"))
  }

  func testMalformedFilesAreRejected() async {
    let secret = "access_key_secret=\(Marks.secret)"
    let refusals = [
      Refusal("empty file", "", .notConfigured, "no section [default]", "none"),
      Refusal("JSON", #"{"access_key_secret":"\#(Marks.secret)"}"#, .notConfigured, "no section [default]"),
      Refusal("no header end", "[default\n\(secret)", .notConfigured, "no section [default]"),
      Refusal("empty section", "[default]\n", .malformedResponse, "no “type”"),
      Refusal("no type", "[default]\naccess_key_id=id\n\(secret)", .malformedResponse, "no “type”"),
      Refusal("unknown type", "[default]\ntype=bearer\n\(secret)", .malformedResponse, "“bearer”"),
      Refusal("secret as type", "[default]\ntype=\(Marks.secret)9", .malformedResponse, "a text of 11 bytes"),
      Refusal("no id", "[default]\ntype=access_key\n\(secret)", .malformedResponse, "no “access_key_id”"),
      Refusal(
        "empty secret", "[default]\ntype=access_key\naccess_key_id=id\naccess_key_secret=\"\"", .malformedResponse,
        "no “access_key_secret”"),
      Refusal(
        "no key", "[default]\ntype=access_key", .malformedResponse, "no “access_key_id” and no “access_key_secret”"),
      Refusal(
        "no token", "[default]\ntype=sts\naccess_key_id=id\n\(secret)", .malformedResponse, "no “security_token”"),
      Refusal(
        "no role", "[default]\ntype=ram_role_arn\naccess_key_id=id\n\(secret)", .malformedResponse, "no “role_arn”"),
      Refusal("no provider", "[default]\ntype=oidc_role_arn\nrole_arn=r", .malformedResponse, "no “oidc_provider_arn”"),
      Refusal("no setting", "[default]\ntype=access_key\n\(Marks.secret)", .malformedResponse, "line 3"),
      Refusal("section twice", "[default]\n\(secret)\n[DEFAULT]", .malformedResponse, "lines 1 and 3"),
      Refusal("key twice", "[default]\n\(secret)\n\(secret)", .malformedResponse, "line 3 twice"),
    ]
    for refusal in refusals {
      machine.put(Self.path, refusal.input)
      await assertRefuses(provider(), refusal.code, says: refusal.says + [Self.path], refusal.name)
    }
  }
}
