// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
package import StorageAuthTesting

/// A request as other libraries have them: with names in any letter case, and values as strings.
struct ForeignRequest: SignableRequest {
  let methodName: String
  let scheme: String?
  let authority: String?
  let path: String?
  let headerFields: Fields

  struct Fields: SignableFields {
    let pairs: [(name: String, value: [UInt8])]

    var count: Int { pairs.count }

    func withName<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
      let name = ContiguousArray(pairs[index].name.asciiLowercased.utf8)
      return body(name.span)
    }

    func withValue<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
      let value = pairs[index].value
      return body(value.span)
    }
  }

  init(_ request: HTTPRequest) {
    methodName = request.method.rawValue
    scheme = request.scheme
    authority = request.authority
    path = request.path
    headerFields = Fields(
      pairs: request.headerFields.enumerated().map { index, field in
        let name = field.name.canonicalName
        let value = request.headerFields.withValue(at: index) { bytes in bytes.indices.map { bytes[$0] } }
        return (index.isMultiple(of: 2) ? name.uppercased() : name, value)
      })
  }
}

extension HeaderSigner {
  /// Checks that all ways to sign a request's headers have the same result, and returns the signed request.
  package func signedInEveryWay(
    _ request: HTTPRequest, with credential: SigningCredential, in context: SigningContext
  ) throws -> HTTPRequest {
    let signed = try signed(request, with: credential, in: context)
    let prepared = try prepared(with: credential, in: context)
    let fields = try fields(for: request, with: credential, in: context)
    var completed = request
    for field in fields {
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
    guard try self.fields(for: foreign, with: credential, in: context) == fields else {
      throw Violation("The fields of a request of another library differ.")
    }
    // A prepared signer signs several requests.
    for _ in 0..<2 {
      guard try prepared.fields(for: request) == fields, try prepared.fields(for: foreign) == fields else {
        throw Violation("The fields of a prepared signer differ.")
      }
      var again = request
      try prepared.sign(&again)
      guard again == signed else { throw Violation("The request that a prepared signer signed differs.") }
    }
    return signed
  }
}

extension SigningScheme where Signing: HeaderSigner {
  /// Checks that all ways to sign a request's headers have the same result, also for a request that is signed already.
  package func signsInEveryWay(_ samples: [SigningSample<AccessKey>]) throws {
    for sample in samples {
      let context = SigningContext.at(sample.date)
      let signed = try signer.signedInEveryWay(sample.request, with: sample.credential, in: context)
      _ = try signer.signedInEveryWay(signed, with: sample.credential, in: .at(sample.date.advanced(by: .seconds(61))))
    }
  }
}
