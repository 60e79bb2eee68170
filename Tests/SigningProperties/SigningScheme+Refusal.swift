// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

extension SigningScheme {
  /// Returns the error with which the verifier rejects a request, or `nil` if it accepts it.
  package func refusal(
    of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) -> VerificationError? {
    do throws(VerificationError) {
      _ = try verify(request, against: key, at: date)
      return nil
    } catch {
      return error
    }
  }
}

extension SigningScheme {
  /// Returns the error with which signing rejects a request, and checks that the request remains unchanged.
  package func throwLeavesTheRequest(
    _ request: HTTPRequest, with key: AccessKey, at date: Timestamp
  ) throws -> SigningError {
    var copy = request
    do throws(SigningError) {
      try signer.sign(&copy, with: key, in: .at(date))
    } catch {
      if copy != request { throw Violation("the request changed although \(error.code) was thrown") }
      return error
    }
    throw Violation("no error was thrown")
  }
}

extension PresignedRequest {
  /// Returns the request that a user of the URL sends.
  package func request() throws -> HTTPRequest {
    let parts = url.split(separator: "://", maxSplits: 1)
    guard parts.count == 2, let slash = parts[1].firstIndex(of: "/") else { throw Violation("\(url) is not a URL") }
    return HTTPRequest(
      method: method, scheme: String(parts[0]), authority: String(parts[1][..<slash]), path: String(parts[1][slash...]),
      headerFields: headers)
  }
}

/// Returns the error with which an operation fails.
package func signingError<Value>(_ act: () throws(SigningError) -> Value) throws(Violation) -> SigningError {
  do throws(SigningError) {
    _ = try act()
  } catch {
    return error
  }
  throw Violation("no error was thrown")
}
