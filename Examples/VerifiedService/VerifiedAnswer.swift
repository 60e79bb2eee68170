// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Hummingbird
import StorageAuth

/// The response to a GET request, which lists the verified and the unverified components of the request.
struct VerifiedAnswer: ResponseEncodable {
  struct Parameter: Encodable {
    let name: String
    let value: String?
  }

  /// The ID of the key that signed the request.
  let id: String
  let bucket: String?
  let key: String?
  /// The query parameters that were included in the signature.
  let parameters: [Parameter]
  /// The names of the unsigned parameters, which any sender may have added.
  ///
  /// A handler should not act on them.
  let unsignedParameters: [String]
  /// The names of the headers that were included in the signature.
  let signedHeaders: [String]
  /// The size of the requested file in bytes, or `nil` if the file does not exist.
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
