/// What a client says about how an object is kept; it is stored and told again, and has no other effect but that of the
/// customer's key and of a class that has to be restored.
struct ObjectAttributes: Sendable, Codable, Equatable {
  /// The storage class; `nil` for the standard one.
  var storageClass: String?

  /// The tags, percent-decoded.
  var tags: [ObjectDescription.Header] = []

  /// The headers that say how the service is to encrypt, named without the prefix of the service.
  var encryption: [ObjectDescription.Header] = []

  /// The key that the client encrypts with.
  var customerKey: CustomerKey?
}
