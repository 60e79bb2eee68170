// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Hummingbird
public import StorageAuth
public import StorageAuthServer

/// The context of a request to the service, with the verified request after the signature middleware.
public struct ServiceContext: VerifiedRequestContext {
  /// The storage that Hummingbird requires in every request context.
  public var coreContext: CoreRequestContextStorage

  /// The verified request, or `nil` before the signature middleware verified the request.
  public var verifiedRequest: VerifiedRequest?

  /// Creates the context of a request that has not been verified yet.
  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// The request context behind the signature middleware, which always has a verified request and the name of its file.
struct FileContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let verified: VerifiedRequest
  let file: FileStore.Name

  init(context: ServiceContext) throws {
    guard let verified = context.verifiedRequest else { throw HTTPError(.forbidden) }
    // The signature determines the file, not the path that the router parsed.
    guard verified.target.bucket == VerifiedService.bucket, let key = verified.target.key else {
      throw HTTPError(.notFound)
    }
    coreContext = context.coreContext
    self.verified = verified
    file = FileStore.Name(account: Array(verified.accessKeyID.utf8), key: Array(key.utf8))
  }
}
