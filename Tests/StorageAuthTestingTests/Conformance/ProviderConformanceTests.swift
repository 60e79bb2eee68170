// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import CredentialSources
import StorageAuth
import StorageAuthTesting
import XCTest

/// The provider suite: the package's credential providers conform, and each broken provider is reported.
final class ProviderConformanceTests: XCTestCase {
  private let secrets = ["secret0canary", "token0canary"]
  private let key = AccessKey(id: "AKIDexample", secret: "secret0canary", sessionToken: "token0canary")
  private let outage = CredentialError(
    .failed, source: "vault", "It cannot be reached.", remedy: "Check the network.", isRetryable: true)

  /// A provider that executes a closure of the test.
  private struct Twisted: CredentialProvider {
    var source = "vault"
    var note = ""
    let answer: @Sendable () async throws(CredentialError) -> AccessKey

    func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
      IssuedCredential(try await answer())
    }
  }

  private func held() -> ScriptedProvider<AccessKey> {
    let provider = ScriptedProvider([.credential(key)])
    provider.hold()
    return provider
  }

  func testProvidersOfThePackageConform() async {
    let fixed = await ProviderConformance(StaticCredentialProvider(key), secrets: secrets).report()
    XCTAssertTrue(fixed.isConforming, "\(fixed)")
    let environment = EnvironmentCredentialProvider.cos
    let read = await ProviderConformance(
      environment.bound(
        to: .environment([
          "TENCENTCLOUD_SECRET_ID": "AKIDexample", "TENCENTCLOUD_SECRET_KEY": secrets[0],
          "TENCENTCLOUD_TOKEN": secrets[1],
        ])),
      failing: [
        environment.bound(to: .environment([:])),
        environment.bound(to: .environment(["TENCENTCLOUD_SECRET_KEY": secrets[0]])),
      ],
      secrets: secrets
    ).report()
    XCTAssertTrue(read.isConforming, "\(read)")
    let script = ScriptedProvider([.credential(key)])
    let scripted = await ProviderConformance(
      script, failing: [ScriptedProvider([.failure(outage)])], waiting: held(), secrets: secrets
    ).report()
    XCTAssertTrue(scripted.isConforming, "\(scripted)")
    XCTAssertEqual(script.calls, 104)
  }

  func testCacheAndChainConform() async {
    let source = ScriptedProvider([.credential(key)])
    let declined = CredentialError(.notConfigured, source: "file", "It does not exist.", remedy: "Make one.")
    let cache = CredentialCache(source)
    let report = await ProviderConformance(
      cache, failing: [CredentialCache(ScriptedProvider<AccessKey>([.failure(outage)]))],
      waiting: CredentialCache(held()), secrets: secrets
    ).report()
    XCTAssertTrue(report.isConforming, "\(report)")
    XCTAssertEqual(source.calls, 1)
    let declining = ScriptedProvider<AccessKey>([.failure(declined)])
    let chain = await ProviderConformance(
      CredentialChain([declining, source]),
      failing: [
        CredentialChain([declining]), CredentialChain<AccessKey>([]),
        CredentialChain([declining, ScriptedProvider([.failure(outage)])]),
      ],
      waiting: CredentialChain([declining, held()]), secrets: secrets
    ).report()
    XCTAssertTrue(chain.isConforming, "\(chain)")
  }

  func testUntestableRulesReportTheirReason() async {
    let report = await ProviderConformance(StaticCredentialProvider(key), secrets: []).report()
    let reasons = report.checks.compactMap { if case .notTried(let reason) = $0.outcome { reason } else { nil } }
    XCTAssertEqual(
      reasons,
      [
        "no secrets to search for are given", "there is no provider that fails",
        "there is no provider that fails", "there is no provider that waits",
      ])
    XCTAssertTrue(report.isConforming)
  }

  func testInvalidSourceNameIsReported() async {
    for source in ["", "a\nb", "vault of secret0canary"] {
      var provider = Twisted { [key] in key }
      provider.source = source
      let rules: [ProviderRule] = source.contains("canary") ? [.source, .redaction] : [.source]
      await assertBreaks(rules, provider)
    }
  }

  func testFailingProviderIsReported() async {
    await assertBreaks(
      [.credential, .validity, .concurrency, .redaction],
      Twisted { [outage] () throws(CredentialError) in throw outage })
  }

  func testUnresponsiveProviderIsReported() async {
    let provider = held()
    let report = await ProviderConformance(provider, secrets: secrets, concurrency: 3, patience: .milliseconds(1))
      .report([.credential, .concurrency])
    XCTAssertEqual(report.failures.count, 2, "\(report)")
    XCTAssertTrue("\(report)".contains("it did not return within"), "\(report)")
  }

  func testExpiredCredentialIsReported() async {
    let time = ManualClock()
    let ended = AccessKey(id: "AKIDexample", secret: "s", expiration: time.now)
    let report = await ProviderConformance(
      StaticCredentialProvider(ended), secrets: secrets, in: ProviderContext(time: time)
    ).report()
    XCTAssertEqual(report.failures.map(\.rule), [ProviderRule.validity.rawValue], "\(report)")
    let issued = ScriptedProvider([.credential(ended, issuerTime: time.now.advanced(by: .seconds(-60)))])
    let other = await ProviderConformance(issued, secrets: secrets, in: ProviderContext(time: time)).report()
    XCTAssertTrue(other.isConforming, "\(other)")
  }

  func testProviderThatFailsUnderConcurrentCallsIsReported() async {
    let answers = Array(repeating: ScriptedProvider<AccessKey>.Answer.credential(key), count: 20)
    await assertBreaks([.concurrency, .redaction], ScriptedProvider(answers + [.failure(outage)]))
  }

  func testSecretInADescriptionIsReported() async {
    await assertBreaks([.redaction], Twisted(note: "secret0canary") { [key] in key })
  }

  func testIncompleteOrLeakyErrorsAreReported() async {
    for error in [
      CredentialError(.failed, source: "", "It failed.", remedy: "Ask again."),
      CredentialError(.failed, source: "vault", "", remedy: "Ask again."),
      CredentialError(.failed, source: "vault", "It failed.", remedy: ""),
      CredentialError(.cancelled, source: "vault", "It failed.", remedy: "Ask again."),
    ] {
      await assertBreaks([.failure], StaticCredentialProvider(key), failing: ScriptedProvider([.failure(error)]))
    }
    let leaky = CredentialError(.failed, source: "vault", "secret0canary is wrong.", remedy: "Ask again.")
    let nested = CredentialError(
      .failed, source: "chain", "No provider responded.", remedy: "Set one up.", declined: [leaky])
    for error in [leaky, nested] {
      await assertBreaks(
        [.failureRedaction], StaticCredentialProvider(key), failing: ScriptedProvider([.failure(error)]))
    }
    await assertBreaks(
      [.failure, .failureRedaction], StaticCredentialProvider(key), failing: StaticCredentialProvider(key))
  }

  func testIgnoredCancellationIsReported() async {
    let deaf = Twisted { [key] in
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        Task.detached {
          try? await Task.sleep(for: .milliseconds(20))
          continuation.resume()
        }
      }
      return key
    }
    let report = await ProviderConformance(
      StaticCredentialProvider(key), waiting: deaf, secrets: secrets, patience: .milliseconds(1)
    ).report([.cancellation])
    XCTAssertEqual(report.failures.map(\.rule), [ProviderRule.cancellation.rawValue], "\(report)")
    await assertBreaks(
      [.cancellation], StaticCredentialProvider(key), waiting: ScriptedProvider([.failure(outage)]))
    await assertBreaks([.cancellation], StaticCredentialProvider(key), waiting: StaticCredentialProvider(key))
  }

  /// Asserts that a provider breaks these rules and no other.
  private func assertBreaks(
    _ rules: [ProviderRule], _ provider: some CredentialProvider<AccessKey>,
    failing: (any CredentialProvider<AccessKey>)? = nil, waiting: (any CredentialProvider<AccessKey>)? = nil,
    file: StaticString = #filePath, line: UInt = #line
  ) async {
    let report = await ProviderConformance(
      provider, failing: failing.map { [$0] } ?? [], waiting: waiting, secrets: secrets
    ).report()
    XCTAssertEqual(report.failures.map(\.rule), rules.map(\.rawValue), "\(report)", file: file, line: line)
  }
}

extension ProviderContext {
  /// A context with these environment variables.
  fileprivate static func environment(_ values: [String: String]) -> ProviderContext {
    ProviderContext(environment: { values[$0] }, home: nil, files: SystemFiles())
  }
}
