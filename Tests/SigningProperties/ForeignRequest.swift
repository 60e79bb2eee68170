// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
package import StorageAuthTesting

/// A request as other libraries have them: with names in any letter case, and values as strings.
private struct ForeignRequest: SignableRequest {
  let methodName: String
  let scheme: String?
  let authority: String?
  let path: String?
  let fieldPairs: [(name: String, value: String)]

  init(_ request: HTTPRequest) {
    methodName = request.method.rawValue
    scheme = request.scheme
    authority = request.authority
    path = request.path
    let host = request.authority.map { [(name: "HOST", value: $0)] } ?? []
    fieldPairs = host + request.headerFields.map { ($0.name.canonicalName.uppercased(), $0.value) }
  }
}

extension HeaderSigner {
  /// Checks that the fields alone make the signed request, for requests of any library and by a prepared signer, and
  /// returns the signed request.
  package func signedByFields(
    _ request: HTTPRequest, with credential: SigningCredential, in context: SigningContext
  ) throws -> HTTPRequest {
    let signed = try signed(request, with: credential, in: context)
    let fields = try fields(for: request, with: credential, in: context)
    var completed = request
    for (name, value) in fields {
      let field = HTTPField(name: name, value: value)
      if let first = completed.headerFields.firstIndex(where: { $0.name == field.name }) {
        completed.headerFields[first] = field
      } else {
        completed.headerFields.append(field)
      }
    }
    guard completed == signed else {
      throw Violation("The fields \(fields.map(\.name)) do not make the signed request.")
    }
    let foreign = ForeignRequest(request)
    guard try self.fields(for: foreign, with: credential, in: context).elementsEqual(fields, by: ==) else {
      throw Violation("The fields of a request of another library differ.")
    }
    let prepared = try preparedSigner(with: credential, in: context)
    var signedAgain = request
    try prepared.sign(&signedAgain)
    guard try prepared.fields(for: foreign).elementsEqual(fields, by: ==), signedAgain == signed else {
      throw Violation("The prepared signer signs otherwise than the signer.")
    }
    return signed
  }
}

extension SigningScheme where Signing: HeaderSigner {
  /// Checks that the fields alone make the signed request, also for a request that is signed already.
  package func signsByFields(_ samples: [SigningSample<AccessKey>]) throws {
    for sample in samples {
      let context = SigningContext.at(sample.date)
      let signed = try signer.signedByFields(sample.request, with: sample.credential, in: context)
      _ = try signer.signedByFields(signed, with: sample.credential, in: .at(sample.date.advanced(by: .seconds(61))))
    }
  }
}
