public import Hummingbird
public import StorageAuth
public import StorageAuthServer

/// What is known about a request: who signed what, once the middleware has verified it.
public struct ServiceContext: VerifiedRequestContext {
  /// What Hummingbird keeps of a request.
  public var coreContext: CoreRequestContextStorage

  /// Who signed the request, and what was signed.
  public var verifiedRequest: VerifiedRequest?

  /// Creates the context of a request that is not verified yet.
  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// The same behind the middleware: there is always a signature, and always a file that it is about.
struct FileContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let verified: VerifiedRequest
  let file: FileStore.Name

  init(context: ServiceContext) throws {
    guard let verified = context.verifiedRequest else { throw HTTPError(.forbidden) }
    // The file is the one that was signed, not the one that the router read from the path.
    guard verified.target.bucket == VerifiedService.bucket, let key = verified.target.key else {
      throw HTTPError(.notFound)
    }
    coreContext = context.coreContext
    self.verified = verified
    file = FileStore.Name(account: Array(verified.accessKeyID.utf8), key: Array(key.utf8))
  }
}
