internal import HTTPTypes
internal import StorageAuth

/// The permission to do what a request asks for.
///
/// Operations take nothing else, and there are two ways to one: the proof of a signature by somebody whose rights allow
/// the operation, or an access that lets everybody read.
struct Permit: Sendable {
  /// What is to be done.
  let operation: Operation

  /// The bucket, the key and the parameters, those that the scheme does not sign too: the services act on them.
  let target: RequestTarget

  /// Whether nobody signed.
  let isAnonymous: Bool

  /// What else the request may do, for what only its body names.
  let rights: RequestRights

  /// What takes the body apart; `nil` if the bytes that arrive are those of the object.
  var reader: (any BodyReader)?

  /// The permission that a signature gives.
  ///
  /// - Returns: Nothing if the rights do not allow the operation.
  init?(_ verified: VerifiedRequest, _ operation: Operation, copying source: NamedSource?, by rights: RequestRights) {
    guard rights.allow(operation, on: verified.wholeTarget) else { return nil }
    if operation.hasCopySource {
      guard let source, rights.allowReading(source) else { return nil }
    }
    self.operation = operation
    target = verified.wholeTarget
    isAnonymous = false
    self.rights = rights
  }

  /// The permission that a bucket gives to everybody.
  ///
  /// - Returns: Nothing if the operation is not one that reads an object, or the object is not open to everybody.
  init?(
    everybody target: RequestTarget, _ operation: Operation, in store: BucketTable, at dialect: any Dialect
  ) throws {
    guard operation.isPublicRead, let bucket = target.bucket?.string, let key = target.key?.string else { return nil }
    let access = try store.read(bucket) { $0.objects[ObjectKey(key)]?.access ?? $0.access }
    guard access == .publicRead else { return nil }
    self.operation = operation
    self.target = target
    isAnonymous = true
    rights = .none(at: dialect)
  }
}
