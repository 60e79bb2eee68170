// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A response of an app server to a request for a temporary key.
struct AppServerResponse {
  let source: String
  let response: ServiceResponse

  var reader: CredentialReader {
    CredentialReader(
      source: source,
      remedy: "Compare the server's response with the formats in the article CredentialServices of CredentialSources.")
  }

  /// Returns the access key in this response, decoded from the given format.
  func issued(as format: AppServerFormat) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard response.isSuccess else { throw refusal }
    switch format.kind {
    case .documents(let documents):
      let object = try reader.object(response)
      guard let document = documents.first(where: { $0.recognizes(object) }) ?? documents.last else {
        throw reader.malformed("The response has none of the supported formats.")
      }
      return try document.issued(self, object)
    case .custom(let decode):
      do {
        return try reader.issued(try decode(response.body), at: response.issuerTime)
      } catch let error as CredentialError {
        throw error
      } catch {
        throw reader.malformed("The app's decoder threw \(type(of: error)).")
      }
    }
  }

  /// The error for a response whose status does not indicate success.
  private var refusal: CredentialError {
    let object = response.object ?? JSONObject()
    let refusal = AppServerFormat.known.reversed().lazy.compactMap { $0.refusal(self, object) }.first
    let isLogin = response.status == 401 || response.status == 403
    let fallback =
      isLogin
      ? "Log in again, so that the app's requests are accepted."
      : "Check the address, and the request that the app makes."
    return RefusalRules.none.error(for: response, refusal, source: source, fallback: fallback)
  }

  /// Returns the error for a refusal that the body of a successful response contains.
  func rejected(_ refusal: ServiceRefusal) -> CredentialError {
    RefusalRules.none.error(for: response, refusal, source: source, fallback: "See the server's log.")
  }
}

extension RefusalRules {
  /// The rules for responses of app servers, whose error codes this package does not interpret.
  static let none = RefusalRules(clock: [], passing: [], remedies: [])
}
