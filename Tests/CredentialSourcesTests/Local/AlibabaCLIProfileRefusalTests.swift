// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import XCTest

@testable import OSSAuth

/// Tests that every malformed form of `~/.aliyun/config.json` is rejected.
final class AlibabaCLIProfileRefusalTests: XCTestCase {
  private static let path = "/home/mia/.aliyun/config.json"

  private let machine = MemoryMachine()

  private var provider: BoundCredentialProvider<ProfileCredentialProvider<AccessKey>> {
    ProfileCredentialProvider.alibabaCLIProfile(services: RecordedServices().alibaba).bound(to: machine.access)
  }

  func testMissingFileIsNotConfigured() async {
    await assertRefuses(provider, .notConfigured, says: ["~/.aliyun/config.json"])
  }

  // matrix: Files: bad input
  func testInvalidFilesAreRejected() async {
    let refusals = [
      Refusal("empty", "", .malformedResponse, "is empty"), Refusal("blank", " \r\n", .malformedResponse, "is empty"),
      Refusal("mark alone", "\u{FEFF}", .malformedResponse, "is empty"),
      Refusal("INI", "[default]\nsecret=\(Marks.secret)", .malformedResponse, "not a JSON object"),
      Refusal(
        "cut off", #"{"current":"p","profiles":[{"access_key_secret":"\#(Marks.secret)"#, .malformedResponse,
        "JSON object"),
      Refusal("trailing comma and text", #"{"current":"p",,} \#(Marks.secret)"#, .malformedResponse, "JSON object"),
      Refusal("list", "[]", .malformedResponse, "not a JSON object"),
      Refusal("no profiles", "{}", .notConfigured, "has no profile"),
      Refusal("null profiles", #"{"current":null,"profiles":null}"#, .notConfigured, "has no profile"),
      Refusal(
        "profiles of another type", #"{"profiles":{"p":"\#(Marks.secret)"}}"#, .malformedResponse,
        "no array in “profiles”"),
      Refusal("current of another type", #"{"current":5,"profiles":[]}"#, .malformedResponse, "no string in “current”"),
      Refusal(
        "profile without a name", #"{"profiles":[{"access_key_secret":"\#(Marks.secret)"}]}"#, .malformedResponse,
        "number 1", "no “name”"),
      Refusal(
        "profile that is a text", #"{"profiles":[{"name":"a"},"\#(Marks.secret)"]}"#, .malformedResponse, "number 2"),
      Refusal(
        "current that is not there", #"{"current":"x","profiles":[{"name":"p"}]}"#, .failed, "no profile “x”", "“p”"),
      Refusal("twice", #"{"current":"p","profiles":[{"name":"p"},{"name":"p"}]}"#, .malformedResponse, "2 times"),
    ]
    for refusal in refusals {
      machine.put(Self.path, refusal.input)
      await assertRefuses(provider, refusal.code, says: refusal.says + [Self.path], refusal.name)
    }
  }

  // matrix: Files: bad input
  func testInvalidProfilesAreRejected() async {
    let keys = #""access_key_id":"id","access_key_secret":"\#(Marks.secret)""#
    let refusals = [
      Refusal("empty AK", #""mode":"AK","access_key_id":"","access_key_secret":"""#, .notConfigured, "has no key"),
      Refusal("no secret", #""mode":"AK","access_key_id":"id""#, .malformedResponse, "no “access_key_secret”"),
      Refusal("no id", #""access_key_secret":"\#(Marks.secret)""#, .malformedResponse, "no “access_key_id”"),
      Refusal(
        "number", #""access_key_id":1,"access_key_secret":"\#(Marks.secret)""#, .malformedResponse,
        "no string in “access_key_id”"),
      Refusal("no token", #""mode":"StsToken",\#(keys)"#, .malformedResponse, "no “sts_token”"),
      Refusal(
        "ended", #""mode":"StsToken",\#(keys),"sts_token":"\#(Marks.token)","sts_expiration":1"#, .failed,
        "expired at 1970-01-01T00:00:01Z"),
      Refusal(
        "bad end", #""mode":"StsToken",\#(keys),"sts_token":"\#(Marks.token)","sts_expiration":"soon""#,
        .malformedResponse, "no time in “sts_expiration”"),
      Refusal(
        "end of another type", #""mode":"StsToken",\#(keys),"sts_token":"\#(Marks.token)","sts_expiration":[]"#,
        .malformedResponse, "sts_expiration"),
      Refusal("unknown mode", #""mode":"Wizard",\#(keys)"#, .malformedResponse, "“Wizard”"),
      Refusal("secret as mode", #""mode":"\#(Marks.secret)1""#, .malformedResponse, "a text of 11 bytes"),
      Refusal("mode of another type", #""mode":{},\#(keys)"#, .malformedResponse, "no string in “mode”"),
      Refusal("key pair", #""mode":"RsaKeyPair",\#(keys)"#, .failed, "RsaKeyPair", "not supported"),
      Refusal(
        "SSO", #""mode":"CloudSSO","access_token":"\#(Marks.token)""#, .notConfigured, "CloudSSO", "browser",
        "holds no key"),
      Refusal("OAuth", #""mode":"OAuth","oauth_refresh_token":"\#(Marks.token)""#, .notConfigured, "OAuth", "browser"),
      Refusal(
        "SSO that ended", #""mode":"CloudSSO",\#(keys),"sts_token":"\#(Marks.token)","sts_expiration":1795161600"#,
        .notConfigured, "browser", "expired at 2026-11-20T08:00:00Z"),
      Refusal(
        "SSO without an end", #""mode":"CloudSSO",\#(keys),"sts_token":"\#(Marks.token)""#, .notConfigured,
        "its key has no expiration time"),
      Refusal(
        "OAuth without a token", #""mode":"OAuth",\#(keys),"sts_expiration":4102444800"#, .notConfigured,
        "its key has no session token"),
      Refusal("role without an ARN", #""mode":"RamRoleArn",\#(keys)"#, .malformedResponse, "no “ram_role_arn”"),
      Refusal(
        "role without a key", #""mode":"RamRoleArn","ram_role_arn":"r""#, .malformedResponse, "no “access_key_id”"),
      Refusal(
        "duration", #""mode":"RamRoleArn",\#(keys),"ram_role_arn":"r","expired_seconds":"long""#, .malformedResponse,
        "expired_seconds"),
      Refusal(
        "region that is a host", #""mode":"RamRoleArn",\#(keys),"ram_role_arn":"r","sts_region":"evil.example/""#,
        .malformedResponse, "sts_region"),
      Refusal(
        "network", #""mode":"RamRoleArn",\#(keys),"ram_role_arn":"r","sts_region":"a","enable_vpc":"yes""#,
        .malformedResponse, "enable_vpc"),
      Refusal(
        "chain without a source", #""mode":"ChainableRamRoleArn","ram_role_arn":"r""#, .malformedResponse,
        "no “source_profile”"),
      Refusal(
        "source that is not there", #""mode":"ChainableRamRoleArn","ram_role_arn":"r","source_profile":"x""#,
        .malformedResponse, "“x”"),
      Refusal(
        "cycle", #""mode":"ChainableRamRoleArn","ram_role_arn":"r","source_profile":"p""#, .malformedResponse,
        "cycle: “p” to “p”"),
      Refusal(
        "OIDC without a file", #""mode":"OIDC","ram_role_arn":"r","oidc_provider_arn":"i""#, .malformedResponse,
        "no “oidc_token_file”"),
      Refusal(
        "OIDC without a provider", #""mode":"OIDC","ram_role_arn":"r","oidc_token_file":"f""#, .malformedResponse,
        "no “oidc_provider_arn”"),
      Refusal("no command", #""mode":"External""#, .malformedResponse, "no “process_command”"),
      Refusal(
        "open quotation", #""mode":"External","process_command":"a '\#(Marks.secret)""#, .malformedResponse,
        "quotation mark"),
      Refusal("key pair without a mode", #""private_key":"k","key_pair_name":"n""#, .failed, "RsaKeyPair"),
      Refusal("bearer without a mode", #""bearer_token":"\#(Marks.token)""#, .failed, "BearerToken", "not supported"),
      Refusal(
        "SSO without a mode", #""cloud_sso_sign_in_url":"https://s.example""#, .notConfigured, "CloudSSO", "browser"),
      Refusal("no URI", #""mode":"CredentialsURI""#, .malformedResponse, "no “credentials_uri”"),
    ]
    for refusal in refusals {
      machine.put(Self.path, #"{"current":"p","profiles":[{"name":"p",\#(refusal.input)}]}"#)
      await assertRefuses(provider, refusal.code, says: refusal.says + ["profile “p” in \(Self.path)"], refusal.name)
    }
  }

  func testLongCycleOfProfilesIsDetected() async {
    machine.put(
      Self.path,
      #"""
      {"current":"a","profiles":[
        {"name":"a","mode":"ChainableRamRoleArn","ram_role_arn":"r","source_profile":"b"},
        {"name":"b","mode":"ChainableRamRoleArn","ram_role_arn":"r","source_profile":"a"}]}
      """#)
    await assertRefuses(provider, .malformedResponse, says: ["cycle: “a” to “b” to “a”"])
  }
}
