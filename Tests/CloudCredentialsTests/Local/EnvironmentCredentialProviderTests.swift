// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import CloudCredentials
import StorageAuth
import XCTest

/// Tests credentials in environment variables.
final class EnvironmentCredentialProviderTests: XCTestCase {
  // matrix: Environment: answers
  func testKeysAreReadFromTheVendorsVariables() async {
    let oss = EnvironmentCredentialProvider.oss.reading([
      "OSS_ACCESS_KEY_ID": " id\n", "OSS_ACCESS_KEY_SECRET": "s", "OSS_SESSION_TOKEN": "t",
    ])
    await assertKey(oss, AccessKey(id: "id", secret: "s", sessionToken: "t"))
    let permanent = EnvironmentCredentialProvider.oss.reading([
      "OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": "s", "OSS_SESSION_TOKEN": "",
    ])
    await assertKey(permanent, AccessKey(id: "id", secret: "s"))
    let alibaba = EnvironmentCredentialProvider.alibabaCloud.reading([
      "ALIBABA_CLOUD_ACCESS_KEY_ID": "id", "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "s", "ALIBABA_CLOUD_SECURITY_TOKEN": "t",
    ])
    await assertKey(alibaba, AccessKey(id: "id", secret: "s", sessionToken: "t"))
    for name in ["TENCENTCLOUD_TOKEN", "TENCENTCLOUD_SESSION_TOKEN"] {
      let cos = EnvironmentCredentialProvider.cos.reading([
        "TENCENTCLOUD_SECRET_ID": "id", "TENCENTCLOUD_SECRET_KEY": "s", name: "t",
      ])
      await assertKey(cos, AccessKey(id: "id", secret: "s", sessionToken: "t"))
    }
  }

  func testMissingVariablesAreNotConfiguredAndNamed() async {
    for environment in [[:], ["OSS_ACCESS_KEY_ID": "", "OSS_ACCESS_KEY_SECRET": " "]] {
      await assertRefuses(
        EnvironmentCredentialProvider.oss.reading(environment), .notConfigured,
        says: ["OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET"])
    }
  }

  // matrix: Environment: bad input
  func testIncompleteKeyIsAnError() async {
    let cases: [(set: [String: String], missing: String, present: String)] = [
      (["OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": "  "], "not OSS_ACCESS_KEY_SECRET", "OSS_ACCESS_KEY_ID"),
      (["OSS_ACCESS_KEY_SECRET": Marks.secret], "not OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET"),
      (["OSS_SESSION_TOKEN": Marks.token], "not OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET", "OSS_SESSION_TOKEN"),
    ]
    for (environment, missing, present) in cases {
      await assertRefuses(
        EnvironmentCredentialProvider.oss.reading(environment), .failed, says: [missing, "sets \(present)"], missing)
    }
  }

  // matrix: Environment: bad input
  func testKeyWithInvalidCharactersIsRejected() async {
    for (id, secret) in [("i d", Marks.secret), ("id", "\(Marks.secret)\n\(Marks.secret)")] {
      await assertRefuses(
        EnvironmentCredentialProvider.oss.reading(["OSS_ACCESS_KEY_ID": id, "OSS_ACCESS_KEY_SECRET": secret]), .failed,
        says: ["cannot be used"])
    }
  }

  func testVariablesAreReadForEachRequest() async {
    let machine = MemoryMachine(environment: ["OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": "one"])
    let provider = EnvironmentCredentialProvider.oss.reading(machine.access)
    await assertKey(provider, AccessKey(id: "id", secret: "one"))
    machine.set("OSS_ACCESS_KEY_SECRET", to: "two")
    await assertKey(provider, AccessKey(id: "id", secret: "two"))
  }
}
