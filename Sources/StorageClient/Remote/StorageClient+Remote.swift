internal import HTTPTypes
internal import StorageAuth

extension StorageClient {
  /// Has a request signed where the key is.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - signer: Who signs.
  ///   - cached: The identity that is in use; replaced if the key has changed.
  ///   - date: The present.
  /// - Returns: The signed request, and the instant in its signature.
  func sign(
    _ request: HTTPRequest, with signer: any RemoteRequestSigner<Provider.Proof>,
    as cached: inout CachedCredential<Provider.Proof>, at date: Timestamp
  ) async throws -> (HTTPRequest, Timestamp) {
    let signed = try await renewing(&cached) { proof in
      try await signer.signed(request, as: proof, in: SigningContext(date: date))
    }
    return (signed, date)
  }

  /// Asks who signs once more if the key has changed since, and tries again.
  func renewing<Result>(
    _ cached: inout CachedCredential<Provider.Proof>, _ act: (Provider.Proof) async throws -> Result
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
