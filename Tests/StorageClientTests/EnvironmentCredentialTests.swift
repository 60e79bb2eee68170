import XCTest

@testable import StorageClient

final class EnvironmentCredentialTests: XCTestCase {
  func testKeysAreReadFromTheVendorsVariables() async throws {
    let oss = try await EnvironmentCredentialProvider.oss.reading([
      "OSS_ACCESS_KEY_ID": " id\n", "OSS_ACCESS_KEY_SECRET": "s", "OSS_SESSION_TOKEN": "t",
    ]).credential()
    XCTAssertEqual(oss, AccessKey(id: "id", secret: "s", sessionToken: "t"))
    let permanent = try await EnvironmentCredentialProvider.oss.reading([
      "OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": "s", "OSS_SESSION_TOKEN": "",
    ]).credential()
    XCTAssertNil(permanent.sessionToken)
    for name in ["TENCENTCLOUD_TOKEN", "TENCENTCLOUD_SESSION_TOKEN"] {
      let cos = try await EnvironmentCredentialProvider.cos.reading([
        "TENCENTCLOUD_SECRET_ID": "id", "TENCENTCLOUD_SECRET_KEY": "s", name: "t",
      ]).credential()
      XCTAssertEqual(cos, AccessKey(id: "id", secret: "s", sessionToken: "t"))
    }
  }

  func testWhatIsMissingIsNamed() async throws {
    let provider = EnvironmentCredentialProvider.oss.reading(["OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": "  "])
    await assertThrows(CredentialError.self, { _ = try await provider.credential() }) { error in
      XCTAssertEqual(error.code, .notConfigured)
      XCTAssertTrue(error.message.contains("OSS_ACCESS_KEY_SECRET"))
      XCTAssertFalse(error.message.contains("OSS_ACCESS_KEY_ID"))
    }
  }
}
