// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

/// A scripted node that responds to setup calls, and an issuer that calls it.
struct SetupNode {
  static let token = "ATM2_c4nary0token_2MTA"
  static let url = "https://node.example.com:9092"
  static let present = Timestamp(unixSeconds: 1_800_000_000)

  let transport: ScriptedTransport
  let time = ManualClock(now: present)

  init(_ replies: HTTPStreamingResponse...) {
    transport = ScriptedTransport(replies)
  }

  /// A response with a token.
  static func answer(
    token: String = token, extra: String = "", date: Timestamp? = present
  ) -> HTTPStreamingResponse {
    .json(
      #"{"transfer_specs":[{"transfer_spec":{"token":"\#(token)","remote_user":"asp1","sshfp":null\#(extra)}}]}"#,
      headers: date.map { ["Date": $0.httpDate] } ?? [:])
  }

  func issuer(
    url: String = url, access: some CredentialProvider<AsperaNodeAccess> = Self.fixed, life: Duration? = nil
  ) -> BoundIssuer {
    bound(SetupTokenIssuer(node: url, access: access, tokenLifetime: life))
  }

  /// An issuer that uses the node and its clock.
  func bound(_ issuer: some TokenIssuer) -> BoundIssuer {
    BoundIssuer(base: issuer, context: ProviderContext(transport: transport, time: time))
  }

  /// The error code with which an issuer fails, requested on a separate task.
  static func refusal(of issuer: some TokenIssuer) -> Task<CredentialError.Code?, Never> {
    Task {
      do throws(CredentialError) {
        _ = try await issuer.issue(for: download, in: .local)
        return nil
      } catch {
        return error.code
      }
    }
  }

  static let fixed = StaticCredentialProvider(AsperaNodeAccess.basic(user: "mia", password: Secret("c4nary0pass")))

  static let download = TokenRequest(
    session: "1", specification: TransferSpec(.receive, [TransferPath("/a")]))
}

/// An issuer that is always called in one context.
struct BoundIssuer: TokenIssuer {
  let base: any TokenIssuer
  let context: ProviderContext

  var source: String { base.source }

  func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    try await base.issue(for: request, in: self.context)
  }
}

/// A provider of numbered passwords.
final class ScriptedAccess: CredentialProvider {
  let source = "passwords that count"
  private let count = Lock(0)

  var questions: Int { count.withLock { $0 } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return IssuedCredential(.basic(user: "mia", password: Secret("c4nary0-\(number)")))
  }
}

extension XCTestCase {
  /// Requests a token from an issuer that must fail.
  @discardableResult
  func assertRefuses(
    _ issuer: some TokenIssuer, _ code: CredentialError.Code, _ says: String...,
    for request: TokenRequest = SetupNode.download, isRetryable: Bool = false, file: StaticString = #filePath,
    line: UInt = #line
  ) async -> CredentialError? {
    do {
      let issued = try await issuer.issue(for: request, in: .local)
      XCTFail("a grant was issued: \(issued.credential)", file: file, line: line)
      return nil
    } catch {
      XCTAssertEqual(error.code, code, "\(error)", file: file, line: line)
      XCTAssertEqual(error.isRetryable, isRetryable, "\(error)", file: file, line: line)
      XCTAssertFalse(error.source.isEmpty, "\(error)", file: file, line: line)
      XCTAssertTrue(error.remedy.hasSuffix("."), "\(error)", file: file, line: line)
      for text in says {
        XCTAssertTrue("\(error)".contains(text), "no “\(text)” in \(error)", file: file, line: line)
      }
      XCTAssertEqual(DisplayedTexts(of: error).containing(["c4nary0", "YzRuYXJ5M"]), [], file: file, line: line)
      return error
    }
  }
}
