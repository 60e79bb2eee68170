// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import XCTest

@testable import COSAuth

/// Tests the configuration files of Tencent Cloud's SDKs, of tccli and of coscmd.
final class TencentProfileTests: XCTestCase {
  private let machine = MemoryMachine()
  private let services = RecordedServices()

  func testSDKProfileIsReadFromTheFirstExistingFile() async {
    let provider = ProfileCredentialProvider.tencentProfile().bound(to: machine.access)
    let text = "[default]\nsecret_id = 1\nsecret_key = s\nrole_arn = unused\n[prod]\nsecret_id=2\nsecret_key=s\ntoken=t"
    machine.put("/etc/tencentcloud/credentials", text)
    await assertKey(provider, AccessKey(id: "1", secret: "s"))
    machine.put("/home/mia/.tencentcloud/credentials", "[default]\nsecret_id = 3\nsecret_key = s")
    await assertKey(provider, AccessKey(id: "3", secret: "s"))
    machine.set("TENCENTCLOUD_CREDENTIALS_FILE", to: "/etc/tencentcloud/credentials")
    await assertKey(provider, AccessKey(id: "1", secret: "s"))
    await assertKey(
      ProfileCredentialProvider.tencentProfile("prod").bound(to: machine.access),
      AccessKey(id: "2", secret: "s", sessionToken: "t"))
    await assertRefuses(
      ProfileCredentialProvider.tencentProfile("x").bound(to: machine.access), .failed,
      says: ["[x]", "[default], [prod]"])
  }

  func testMalformedSDKProfilesAreRejected() async {
    let path = "/home/mia/.tencentcloud/credentials"
    let refusals = [
      Refusal("empty", "", .notConfigured, "no section [default]"),
      Refusal("variables", "TENCENTCLOUD_SECRET_KEY=\(Marks.secret)", .notConfigured, "no section [default]"),
      Refusal("empty section", "[default]", .malformedResponse, "no “secret_id” and no “secret_key”"),
      Refusal("no id", "[default]\nsecret_key=\(Marks.secret)", .malformedResponse, "no “secret_id”"),
      Refusal(
        "no secret", "[default]\nsecret_id=id\nsecret_key=#\(Marks.secret)", .malformedResponse, "no “secret_key”"),
      Refusal("no setting", "[default]\nsecret_id id\nsecret_key=\(Marks.secret)", .malformedResponse, "line 2"),
      Refusal("twice", "[default]\nsecret_key=\(Marks.secret)\n[default]\nsecret_id=id", .malformedResponse, "twice"),
    ]
    for refusal in refusals {
      machine.put(path, refusal.input)
      await assertRefuses(
        ProfileCredentialProvider.tencentProfile().bound(to: machine.access), refusal.code, says: refusal.says + [path],
        refusal.name)
    }
  }

  func testTCCLIProfileIsRead() async {
    let provider = ProfileCredentialProvider.tccliProfile().bound(to: machine.access)
    machine.put("/home/mia/.tccli/default.credential", #"{"secretId": "id", "secretKey": "s"}"#)
    await assertKey(provider, AccessKey(id: "id", secret: "s"))
    let login = #"{"secretId":"i","secretKey":"s","token":"t","expiresAt":1795161601,"type":"#
    let key = AccessKey(id: "i", secret: "s", sessionToken: "t", expiration: Timestamp(unixSeconds: 1_795_161_601))
    for type in ["oauth", "sso"] {
      machine.put("/home/mia/.tccli/default.credential", login + #""\#(type)","\#(type)":{"site":"cn"}}"#)
      await assertKey(provider, key, type)
    }
    machine.set("TCCLI_PROFILE", to: "dev")
    await assertRefuses(provider, .failed, says: ["~/.tccli/dev.credential", "not there"])
    machine.put("/home/mia/.tccli/dev.credential", #"{"secretId":"2","secretKey":"s","token":null}"#)
    await assertKey(provider, AccessKey(id: "2", secret: "s"))
    for name in ["../dev", "a/b", ".."] {
      machine.put("/home/mia/.tccli/\(name).credential", #"{"secretId":"elsewhere","secretKey":"s"}"#)
      await assertRefuses(
        ProfileCredentialProvider.tccliProfile(name).bound(to: machine.access), .failed,
        says: [name, "not the name of a profile"])
    }
  }

  func testTCCLIProfileAssumesItsRoleOrUsesThatOfTheInstance() async {
    let provider = ProfileCredentialProvider.tccliProfile(services: services.tencent).bound(to: machine.access)
    let key = #""secretId":"id","secretKey":"s""#
    let role = #""role-arn":"qcs::cam::uin/1:roleName/r","role-session-name":"me""#
    let cases: [(String, AccessKey, String?)] = [
      (#"\#(key),"type":"default""#, AccessKey(id: "id", secret: "s"), nil),
      (#"\#(key),"role-arn":"","role-session-name":"me""#, AccessKey(id: "id", secret: "s"), nil),
      (#"\#(key),"role-arn":"r""#, AccessKey(id: "id", secret: "s"), nil),
      ("\(key),\(role)", RecordedServices.key, "qcs::cam::uin/1:roleName/r me with id"),
      (
        #"\#(key),\#(role),"type":"sso","token":"t","expiresAt":1795161601"#, RecordedServices.key,
        "qcs::cam::uin/1:roleName/r me with id"
      ),
      (#""type":"cvm-role""#, RecordedServices.key, "instance any"),
      (#"\#(key),\#(role),"type":"cvm-role""#, RecordedServices.key, "instance any"),
    ]
    for (settings, key, call) in cases {
      let count = services.asked.count
      machine.put("/home/mia/.tccli/default.credential", "{\(settings)}")
      await assertKey(provider, key, settings)
      XCTAssertEqual(services.asked.dropFirst(count), call.map { [$0] } ?? [], settings)
    }
  }

  func testMalformedTCCLIProfilesAreRejected() async {
    let path = "/home/mia/.tccli/default.credential"
    let keys = #""secretId":"id","secretKey":"\#(Marks.secret)","token":"\#(Marks.token)""#
    let refusals = [
      Refusal("empty", "", .malformedResponse, "is empty"),
      Refusal("text", Marks.secret, .malformedResponse, "JSON object"),
      Refusal("no key", "{}", .notConfigured, "has no key"),
      Refusal("no id", #"{"secretKey":"\#(Marks.secret)"}"#, .malformedResponse, "no “secretId”"),
      Refusal("no secret", #"{"secretId":"id","secretKey":""}"#, .malformedResponse, "no “secretKey”"),
      Refusal(
        "list", #"{"secretId":["\#(Marks.secret)"],"secretKey":"x"}"#, .malformedResponse, "string in “secretId”"),
      Refusal("unknown type", #"{\#(keys),"type":"magic"}"#, .malformedResponse, "“magic”"),
      Refusal("role without a key", #"{"role-arn":"r","role-session-name":"me"}"#, .notConfigured, "no key"),
      Refusal(
        "ended", #"{\#(keys),"type":"oauth","expiresAt":1795161600}"#, .notConfigured, "browser", "2026-11-20T08:00:00Z"
      ),
      Refusal(
        "without an end", #"{\#(keys),"type":"sso"}"#, .notConfigured, "sso", "browser", "its key has no “expiresAt”"),
      Refusal("bad end", #"{\#(keys),"type":"sso","expiresAt":"soon"}"#, .malformedResponse, "no time in “expiresAt”"),
    ]
    for refusal in refusals {
      machine.put(path, refusal.input)
      await assertRefuses(
        ProfileCredentialProvider.tccliProfile().bound(to: machine.access), refusal.code, says: refusal.says + [path],
        refusal.name)
    }
  }

  func testCOSCMDFileIsRead() async {
    let path = "/home/mia/.cos.conf"
    let provider = ProfileCredentialProvider.coscmdProfile().bound(to: machine.access)
    let cases: [(String, AccessKey)] = [
      (
        "[common]\nsecret_id = id\nsecret_key = s\nbucket = b-1250000000\nanonymous = False",
        AccessKey(id: "id", secret: "s")
      ),
      ("[common]\naccess_id = id\nsecret_key = s\ntoken = t", AccessKey(id: "id", secret: "s", sessionToken: "t")),
      ("[common]\nanonymous = True\nbucket = b-1250000000", .anonymous),
    ]
    for (text, key) in cases {
      machine.put(path, text)
      await assertKey(provider, key, text)
    }
    let refusals = [
      Refusal("empty", "", .notConfigured, "no section [common]"),
      Refusal("no key", "[common]\nbucket=b", .malformedResponse, "no “access_id” and no “secret_key”"),
      Refusal("no secret", "[common]\nsecret_id=id", .malformedResponse, "no “secret_key”"),
      Refusal("neither", "[common]\nsecret_key=\(Marks.secret)\nanonymous=perhaps", .malformedResponse, "“anonymous”"),
    ]
    for refusal in refusals {
      machine.put(path, refusal.input)
      await assertRefuses(provider, refusal.code, says: refusal.says + [path], refusal.name)
    }
  }
}
