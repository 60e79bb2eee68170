// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import Hummingbird
public import StorageAuth
public import StorageAuthServer

/// The context of a request, with its signer and the signed parts after the middleware verified it.
public struct ServiceContext: VerifiedRequestContext {
  /// The request storage of Hummingbird.
  public var coreContext: CoreRequestContextStorage

  /// The verified request, or `nil` before verification.
  public var verifiedRequest: VerifiedRequest?

  /// Creates the context of a request that is not verified yet.
  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// The context behind the middleware, which always has a verified request and the name of the file that it is about.
struct FileContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let verified: VerifiedRequest
  let file: FileStore.Name

  init(context: ServiceContext) throws {
    guard let verified = context.verifiedRequest else { throw HTTPError(.forbidden) }
    // The file is the one that was signed, not the one that the router parsed from the path.
    guard verified.target.bucket == VerifiedService.bucket, let key = verified.target.key else {
      throw HTTPError(.notFound)
    }
    coreContext = context.coreContext
    self.verified = verified
    file = FileStore.Name(account: Array(verified.accessKeyID.utf8), key: Array(key.utf8))
  }
}
