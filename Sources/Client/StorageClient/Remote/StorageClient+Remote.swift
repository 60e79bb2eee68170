// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension StorageClient {
  /// Requests a remote signature, and requests it again if the signing server's clock differs from the assumed time.
  ///
  /// The service itself has not been contacted at that point, so its clock is assumed to equal the signing server's
  /// clock.
  ///
  /// - Parameters:
  ///   - cached: The identity in use, which is replaced if the key has changed.
  ///   - act: A closure that requests a signature for an identity and a signing time.
  /// - Returns: The result of the closure, the signing time, and the clock offset.
  func signElsewhere<Result>(
    as cached: inout CachedCredential<Provider.SigningCredential>,
    _ act: (Provider.SigningCredential, SigningContext) async throws -> Result
  ) async throws -> (result: Result, date: Timestamp, offset: Duration) {
    let (date, offset) = try serviceTime()
    do {
      let result = try await renewing(&cached) { try await act($0, SigningContext(date: date)) }
      return (result, date, offset)
    } catch let refusal as ClockSkewRefusal {
      let host = try provider.endpoint.authority
      guard let learnt = clockSkew.learn(host: host, serverTime: refusal.serverTime, at: refusal.localTime) else {
        throw refusal.error
      }
      events.emit(.skew(.init(host: host, offset: learnt)))
    }
    let (corrected, newOffset) = try serviceTime()
    do {
      let result = try await renewing(&cached) { try await act($0, SigningContext(date: corrected)) }
      return (result, corrected, newOffset)
    } catch let refusal as ClockSkewRefusal {
      throw refusal.error
    }
  }

  /// Performs an action with the cached identity, and again with a newly requested identity if the key has changed.
  private func renewing<Result>(
    _ cached: inout CachedCredential<Provider.SigningCredential>,
    _ act: (Provider.SigningCredential) async throws -> Result
  ) async throws -> Result {
    do {
      do {
        return try await act(cached.credential)
      } catch let refusal as SigningRefusal where refusal.code == .anotherKey {
        do throws(CredentialError) {
          cached = try await credentials.credential(lasting: .zero, replacing: cached.generation)
        } catch {
          throw error.code == .rejected ? refusal : error.asCancellation
        }
        return try await act(cached.credential)
      }
    } catch let refusal as SigningRefusal {
      throw SigningError(.refused, refusal.message, remedy: refusal.remedy)
    }
  }
}
