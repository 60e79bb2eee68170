package import HTTPTypes
package import StorageAuth

extension SigningScheme {
  /// Why a request is refused; nothing if it is accepted.
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

/// The error that signing something fails with.
package func signingError<Value>(_ act: () throws(SigningError) -> Value) throws(Violation) -> SigningError {
  do throws(SigningError) {
    _ = try act()
  } catch {
    return error
  }
  throw Violation("nothing was thrown")
}
