import Hummingbird
import StorageAuth

/// What a GET answers: what was verified, and what was not.
struct VerifiedAnswer: ResponseEncodable {
  struct Parameter: Encodable {
    let name: String
    let value: String?
  }

  /// The id of the key that signed.
  let id: String
  let bucket: String?
  let key: String?
  /// The parameters that were signed.
  let parameters: [Parameter]
  /// The names of those that were not: a handler that acts on one of them acts on what anyone may have added.
  let unsignedParameters: [String]
  /// The names of the headers that were signed.
  let signedHeaders: [String]
  /// The length of the file, or `nil` if there is none.
  let byteCount: Int?

  init(_ verified: VerifiedRequest, byteCount: Int?) {
    id = verified.accessKeyID.string
    bucket = verified.target.bucket?.string
    key = verified.target.key?.string
    parameters = verified.target.parameters.map { Parameter(name: $0.name.string, value: $0.value?.string) }
    unsignedParameters = verified.unsignedParameters.map(\.name.string)
    signedHeaders = verified.signedHeaders.sorted()
    self.byteCount = byteCount
  }
}
