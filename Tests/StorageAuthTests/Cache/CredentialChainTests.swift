// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Order, failures and error reports of a credential chain.
final class CredentialChainTests: XCTestCase {
  private struct Link: CredentialProvider {
    let source: String
    let result: Result<Token, CredentialError>

    init(_ source: String, _ code: CredentialError.Code? = nil) {
      self.source = source
      result =
        code.map { .failure(CredentialError($0, source: source, "No.", remedy: "Set \(source) up.")) }
        ?? .success(Token(name: source))
    }

    func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Token> {
      IssuedCredential(try result.get())
    }
  }

  // matrix: Credential chain: answers
  func testFirstConfiguredProviderSuppliesTheCredential() async throws {
    let chain = CredentialChain([Link("a", .notConfigured), Link("b"), Link("c", .failed)])
    let issued = try await chain.issue(in: .local)
    XCTAssertEqual(issued.credential.name, "b")
    XCTAssertEqual(issued.source, "b")
    let cache = CredentialCache(chain)
    let cached = try await cache.credential(lasting: .zero)
    XCTAssertEqual(cached.source, "b")
  }

  func testLifetimeAndTimeOfAStoredCredentialArePassedOn() async throws {
    struct Store: CredentialProvider {
      func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Token> {
        IssuedCredential(
          Token(name: "stored"), issuerTime: Timestamp(unixSeconds: 1_800_000_000), source: "disk",
          lifetime: .seconds(3600))
      }
    }
    let issued = try await CredentialChain([Link("a", .notConfigured), Store()]).issue(in: .local)
    XCTAssertEqual(issued.lifetime, .seconds(3600))
    XCTAssertEqual(issued.issuerTime, Timestamp(unixSeconds: 1_800_000_000))
    XCTAssertEqual(issued.source, "disk")
  }

  // matrix: Credential chain: refusal
  func testFailureStopsTheChainAndListsTheDeclinedProviders() async {
    let chain = CredentialChain([Link("a", .notConfigured), Link("b", .failed), Link("c")])
    do {
      _ = try await chain.credential()
      XCTFail("a failing provider was skipped")
    } catch {
      XCTAssertEqual(error.code, .failed)
      XCTAssertEqual(error.source, "b")
      XCTAssertEqual(error.declined.map(\.source), ["a"])
    }
  }

  func testUnderlyingErrorOfAFailedProviderIsPassedOn() async {
    struct Offline: Error {}
    let failing = ClosureCredentialProvider<Token>(source: "b") { throw Offline() }
    for skipped: [any CredentialProvider<Token>] in [[], [Link("a", .notConfigured)]] {
      do {
        _ = try await CredentialChain<Token>(skipped + [failing]).credential()
        XCTFail("the chain returned a credential")
      } catch {
        XCTAssertEqual(error.code, .failed)
        XCTAssertEqual(error.declined.map(\.source), skipped.map(\.source))
        XCTAssertTrue(error.underlying is Offline, "\(error)")
      }
    }
  }

  func testUnconfiguredChainReportsEveryProvidersReason() async {
    let inner = CredentialChain([Link("b", .notConfigured), Link("c", .notConfigured)], source: "files")
    let chain = CredentialChain([Link("a", .notConfigured), inner])
    do {
      _ = try await chain.credential()
      XCTFail("the chain returned a credential")
    } catch {
      XCTAssertEqual(error.code, .notConfigured)
      XCTAssertEqual(error.declined.map(\.source), ["a", "files"])
      for source in ["a", "files", "b", "c"] { XCTAssertTrue("\(error)".contains("(\(source))"), "\(error)") }
    }
  }

  // matrix: Credential chain: bad input
  func testEmptyChainFailsWithItsReason() async {
    do {
      _ = try await CredentialChain<Token>([]).credential()
      XCTFail("the chain returned a credential")
    } catch {
      XCTAssertEqual(error.message, "The chain has no sources.")
      XCTAssertEqual(error.remedy, "Create the chain with at least one provider.")
    }
  }
}
