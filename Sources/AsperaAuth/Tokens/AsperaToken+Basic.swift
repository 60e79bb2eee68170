public import StorageAuth
internal import StorageCrypto

extension AsperaToken {
  /// The token of an access key: its id and its secret, which the server looks up.
  ///
  /// It does not end, and is good for everything that the access key is good for: give it to nobody who may not have the
  /// secret.
  ///
  /// - Parameters:
  ///   - accessKey: The id.
  ///   - secret: The secret.
  /// - Throws: An ``AsperaError`` if the id holds a colon, or either is empty or holds a control character.
  public static func basic(accessKey: String, secret: Secret) throws(AsperaError) -> AsperaToken {
    let value: String
    do {
      value = try BasicAuthorization.value(user: accessKey, password: secret, .accessKey)
    } catch {
      throw AsperaError(.invalidToken, error.message, remedy: error.remedy)
    }
    return try AsperaToken(Secret(value))
  }
}
