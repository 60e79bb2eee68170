// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// An app server's response, from which a format reads the key or the refusal.
struct AppServerResponse {
  let source: String
  let response: ServiceResponse

  var reader: CredentialReader {
    CredentialReader(
      source: source,
      remedy: "Compare the server's response with the formats in the article CredentialServices of CredentialSources.")
  }

  func credential(as format: AppServerFormat) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard response.isSuccess else { throw errorOfFailedResponse }
    switch format.kind {
    case .responseFormats(let responseFormats):
      let object = try reader.object(response)
      let recognized = responseFormats.first { $0.recognizes(object) }
      guard let responseFormat = recognized ?? responseFormats.last else {
        throw reader.malformed("The response has none of the supported formats.")
      }
      return try responseFormat.readKey(self, object)
    case .custom(let decode):
      do {
        return try reader.issued(try decode(response.body), at: response.issuerTime)
      } catch {
        throw error as? CredentialError
          ?? reader.malformed("The app's decoder threw \(type(of: error)).", underlying: error)
      }
    }
  }

  private var errorOfFailedResponse: CredentialError {
    let object = response.object ?? JSONObject()
    // The first format takes any field `code` for that of a refusal, and the later ones read more details.
    let refusal = AppServerFormat.knownResponseFormats.reversed().lazy.compactMap { $0.refusal(object) }.first
    let isLoginRefused = response.status == 401 || response.status == 403
    let fallbackRemedy =
      isLoginRefused
      ? "Log in again, so that the app's requests are accepted."
      : "Check the address, and the request that the app makes."
    return RefusalRules.none.error(for: response, refusal, source: source, fallbackRemedy: fallbackRemedy)
  }

  /// Returns the error for a refusal that the body of a successful response contains.
  func error(for refusal: ServiceRefusal) -> CredentialError {
    RefusalRules.none.error(for: response, refusal, source: source, fallbackRemedy: "See the server's log.")
  }
}

extension RefusalRules {
  /// The rules for responses of app servers, whose error codes this package does not interpret.
  static let none = RefusalRules(clockCodePrefixes: [], temporaryCodePrefixes: [], remedies: [])
}
