// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension ProviderConformance {
  typealias Answer = Result<IssuedCredential<Subject.Value>, CredentialError>

  func checkSource() throws -> Int {
    try require(!provider.source.isEmpty, "the name is empty")
    try require(!provider.source.contains(where: \.isNewline), "the name has a line break")
    try secrets.requireAbsent(from: provider.source, "the name of the source")
    return 1
  }

  func checkCredential() async throws -> Int {
    _ = try await issued()
    let provider = provider
    let answer = await answered(within: patience) { () async -> Result<Subject.Value, CredentialError> in
      do throws(CredentialError) { return .success(try await provider.credential()) } catch { return .failure(error) }
    }
    switch answer {
    case .success: return 2
    case .failure(let error): throw Violation("credential() threw \(error.code), issue() did not")
    case nil: throw Violation("credential() did not return within \(patience)")
    }
  }

  func checkValidity() async throws -> Int {
    let issued = try await issued()
    let now = issued.issuerTime ?? time.now
    if let end = issued.credential.expiration, end <= now {
      throw Violation("the credential expired at \(end), and the time is \(now)")
    }
    return 1
  }

  func checkConcurrency() async throws -> Int {
    let (provider, patience) = (provider, patience)
    try await withThrowingTaskGroup(of: Answer?.self) { group in
      for _ in 0..<concurrency {
        group.addTask { await Self.answer(of: provider, within: patience) }
      }
      for try await answer in group { _ = try credential(in: answer) }
    }
    return concurrency
  }

  func checkRedaction() async throws -> Int {
    if secrets.isEmpty { throw NotTried(reason: "no secrets to search for are given") }
    let issued = try await issued()
    try secrets.requireAbsent(fromDisplaysOf: issued.credential, "the credential")
    try secrets.requireAbsent(fromDisplaysOf: issued, "the issued credential")
    try secrets.requireAbsent(fromDisplaysOf: provider, "the provider")
    return secrets.count
  }

  func forFailures(_ check: (CredentialError) throws -> Void) async throws -> Int {
    if failing.isEmpty { throw NotTried(reason: "there is no provider that fails") }
    for provider in failing {
      switch await Self.answer(of: provider, within: patience) {
      case .success: throw Violation("a provider that must fail returned a credential")
      case .failure(let error): try check(error)
      case nil: throw Violation("a provider that must fail did not return within \(patience)")
      }
    }
    return failing.count
  }

  func checkFailure(_ error: CredentialError) throws(Violation) {
    try require(error.code != .cancelled, "the failure has the code cancelled")
    for error in [error] + error.declined {
      try require(!error.source.isEmpty, "an error with the code \(error.code) names no source")
      try require(!error.message.isEmpty, "an error with the code \(error.code) has no message")
      try require(!error.remedy.isEmpty, "an error with the code \(error.code) has no remedy")
    }
  }

  func checkCancellation() async throws -> Int {
    guard let waiting else { throw NotTried(reason: "there is no provider that waits") }
    for yields in [0, 1, 100] {
      let answer = await answered(within: patience, cancelledAfter: yields) { await Self.answer(of: waiting) }
      switch answer {
      case .success: throw Violation("a provider that must wait returned a credential")
      case .failure(let error): try require(error.code == .cancelled, "the wait ended with the code \(error.code)")
      case nil: throw Violation("the wait did not end within \(patience) after it was cancelled")
      }
    }
    return 3
  }

  private func issued() async throws(Violation) -> IssuedCredential<Subject.Value> {
    try credential(in: await Self.answer(of: provider, within: patience))
  }

  private func credential(in answer: Answer?) throws(Violation) -> IssuedCredential<Subject.Value> {
    switch answer {
    case .success(let issued): return issued
    case .failure(let error): throw Violation("it threw \(error.code) instead of returning a credential")
    case nil: throw Violation("it did not return within \(patience)")
    }
  }

  private static func answer(of provider: any CredentialProvider<Subject.Value>) async -> Answer {
    do throws(CredentialError) { return .success(try await provider.issue()) } catch { return .failure(error) }
  }

  private static func answer(
    of provider: any CredentialProvider<Subject.Value>, within patience: Duration
  ) async -> Answer? {
    await answered(within: patience) { await answer(of: provider) }
  }
}
