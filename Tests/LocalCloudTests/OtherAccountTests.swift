// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests what a key of another account can do with a bucket: what is public and what the policy of the bucket allows.
final class OtherAccountTests: CloudTestCase {
  private static let number = "1300000000"
  private static let other = AccessKey(id: "other-id", secret: "other-secret")

  private var configurationWithOther: LocalCloud.Configuration {
    var configuration = configuration
    configuration.accounts.append(LocalCloud.Account(Self.other, number: Self.number))
    return configuration
  }

  /// A policy of the bucket that allows an account to do everything with objects.
  private func policy(of provider: LocalCloud.Provider, for number: String) -> String {
    switch provider {
    case .oss:
      """
      {"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:*"],"Principal":["\(number)"],\
      "Resource":["acs:oss:*:*:\(Self.bucket)","acs:oss:*:*:\(Self.bucket)/*"]}]}
      """
    case .cos:
      """
      {"version":"2.0","statement":[{"effect":"allow","action":["name/cos:*"],\
      "principal":{"qcs":["qcs::cam::uin/\(number):uin/\(number)"]},"resource":["*"]}]}
      """
    case .s3:
      """
      {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:*"],\
      "Principal":{"AWS":"arn:aws:iam::\(number):root"},"Resource":["*"]}]}
      """
    }
  }

  func testOtherAccountNeedsAPolicyThatNamesIt() async throws {
    try await withEachService(configurationWithOther) { client in
      var guest = client
      guest.key = Self.other
      _ = try await client.send(.put, "a", body: [1])
      func statuses() async throws -> [Int] {
        [
          try await guest.send(.get, "a").status, try await guest.send(.put, "b", body: [2]).status,
          try await guest.send(.get).status, try await guest.send(.get, query: ["uploads": nil]).status,
        ]
      }
      let before = try await statuses()
      XCTAssertEqual(before, [403, 403, 403, 403], "\(client.provider)")
      for (number, status) in [("1400000000", 403), (Self.number, 200)] {
        let put = try await client.send(
          .put, query: ["policy": nil], body: Array(policy(of: client.provider, for: number).utf8))
        XCTAssertTrue([200, 204].contains(put.status), put.text)
        let after = try await statuses()
        XCTAssertEqual(after, [status, status, status, status], "\(client.provider) \(number)")
      }
      let owner = try await client.send(.get, "b")
      // In S3, an object belongs to the account that stored it.
      XCTAssertEqual(owner.status, client.provider == .s3 ? 403 : 200, "\(client.provider)")
    }
  }

  func testOtherAccountReadsWhatIsPublic() async throws {
    try await withEachService(configurationWithOther) { client in
      var guest = client
      guest.key = Self.other
      _ = try await client.send(.put, "a", headers: [client.objectAccess: "public-read"], body: [1])
      _ = try await client.send(.put, "b", body: [1])
      let open = try await guest.send(.get, "a", query: ["response-content-type": "text/css"])
      XCTAssertEqual(open.body, [1], "\(client.provider)")
      XCTAssertEqual(open.header("content-type"), "text/css", "Signed requests can override headers.")
      let closed = try await guest.send(.get, "b")
      XCTAssertEqual(closed.status, 403)
      let write = try await guest.send(.put, "a", body: [2])
      XCTAssertEqual(write.status, 403)
    }
  }

  func testRequesterWhoPaysMustSaySo() async throws {
    try await withEachService(configurationWithOther, of: [.oss]) { client in
      var guest = client
      guest.key = Self.other
      _ = try await client.send(.put, "a", headers: ["x-oss-object-acl": "public-read"], body: [1])
      _ = try await client.send(
        .put, query: ["policy": nil], body: Array(policy(of: .oss, for: Self.number).utf8))
      let payer = "<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>"
      _ = try await client.send(.put, query: ["requestPayment": nil], body: Array(payer.utf8))
      let silent = try await guest.send(.get, "a")
      XCTAssertEqual(try silent.errorCode, "AccessDenied")
      let paying = try await guest.send(.get, "a", headers: ["x-oss-request-payer": "requester"])
      XCTAssertEqual(paying.body, [1])
      let presigned = try await guest.send(.get, "a", query: ["x-oss-request-payer": "requester"])
      XCTAssertEqual(presigned.body, [1])
      for headers in [[:], ["x-oss-request-payer": "requester"]] {
        let unsigned = try await client.send(client.request(.get, "a", headers: headers))
        XCTAssertEqual(unsigned.status, 403, "An unsigned request names no account to charge.")
      }
      let owner = try await client.send(.get, "a")
      XCTAssertEqual(owner.status, 200)
    }
  }

  func testNumberOfAnotherAccountIsChecked() async {
    for number in ["", "x", "1250000000", "125000000000"] {
      var configuration = configuration
      configuration.accounts.append(LocalCloud.Account(Self.other, number: number))
      do {
        let cloud = try await LocalCloud.start(configuration)
        await cloud.stop()
        XCTFail(number)
      } catch {
        XCTAssertTrue("\(error)".contains("number of another account"), "\(error)")
      }
    }
  }
}
